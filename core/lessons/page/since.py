"""How a step stood when it began, to tell what has been done in it since."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.ui.controls import picks
from core.ui.controls.control_log import ControlState


@dataclass
class Since:
    """What was noted at the first look at each thing.

    Attributes:
        controls: what each control stood at, by its name in the address.
        clicked: what had been chosen in each picture.
        kept: what stood in the address under names that no control has.
    """

    controls: dict[str, Any] = field(default_factory=dict)
    clicked: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, str | None] = field(default_factory=dict)

    def look(self, now: Mapping[str, ControlState]) -> None:
        """Note the controls that were not there before."""
        for name, asked in now.items():
            self.controls.setdefault(name, asked.value)

    def has_changed(self, name: str, prefix: str, now: Mapping[str, ControlState]) -> bool:
        """Whether a control stands elsewhere than at first; or, if none has this name, the address says otherwise."""
        for known in (prefix + name, name):
            if known in now:
                return bool(now[known].value != self.controls.setdefault(known, now[known].value))
        said: str | None = st.query_params.get(name)
        return said != self.kept.setdefault(name, said)

    def was_clicked(self, picture: str) -> bool:
        """Whether something was chosen in a picture since the first look."""
        chosen = picks.last(picture)
        return bool(chosen != self.clicked.setdefault(picture, chosen)) and chosen is not None
