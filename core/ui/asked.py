"""What the controls of the page stand at, noted as each is drawn.

For links that hold a whole view, and for lessons that wait until something has been set.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.ui import state

_SLOT = "asked"


@dataclass(frozen=True)
class Asked:
    """A control as it was drawn last.

    Attributes:
        label: what the person reads beside it.
        value: what is in force, checked.
        written: how the address says it; several parameters for a choice of several.
        is_fixed: locked or hidden, so that nobody can move it.
    """

    label: str
    value: Any
    written: tuple[str, ...]
    is_fixed: bool


def begin() -> None:
    """Forget the page before. For the start of a run of the whole page."""
    state.put(_SLOT, {})


def note(name: str, asked: Asked) -> None:
    """Note a control under its name in the address."""
    noted: dict[str, Asked] = state.slot(_SLOT, dict)
    noted[name] = asked


def here() -> Mapping[str, Asked]:
    """The controls of the page by their names in the address, in the order in which they were first drawn."""
    noted: dict[str, Asked] = state.slot(_SLOT, dict)
    return dict(noted)
