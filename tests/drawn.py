"""An exhibit alone on a page, drawn without a browser: its controls, and all that it sends."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.exhibit import NOT_YET, Control
from core.rooms import exhibits
from core.ui.controls.control_log import ASKED, ControlState
from core.ui.exhibit.drawing import Drawing
from core.ui.exhibit.exhibit import Exhibit
from core.ui.state import PREFIX


@dataclass(frozen=True)
class Drawn:
    """What a visitor gets of an exhibit.

    Attributes:
        test: its page.
        drawing: what was drawn; None where words stand in its place.
        controls: by their names in the address.
    """

    test: AppTest
    drawing: Drawing | None
    controls: Mapping[str, ControlState]


def exhibit_alone() -> None:
    """The script of a page with one exhibit, the bar of its room above."""
    import streamlit as st

    from core.rooms import exhibits
    from core.ui.controls import control_log

    control_log.begin()
    entry = exhibits()[st.session_state["exhibit"]]
    given = entry.ask()
    if given is not None:
        entry.show(*given)


def drawn(name: str, **address: Any) -> Drawn:
    """Draw an exhibit, "masks.kinds-of-masks", at an address."""
    test = AppTest.from_function(exhibit_alone, default_timeout=800)
    test.session_state["exhibit"] = name
    for parameter, value in address.items():
        test.query_params[parameter] = value
    found: list[Drawing | None] = []
    draw = Exhibit.draw

    def noted(self: Exhibit, given: Any = None) -> Drawing | None:
        found.append(draw(self, given))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exhibit, "draw", noted)
        test.run()
    key = f"{PREFIX}{ASKED}"
    asked = dict(test.session_state[key]) if key in test.session_state else {}
    return Drawn(test, found[-1] if found else None, asked)


def module_of(name: str) -> ModuleType:
    """The module of an exhibit."""
    return importlib.import_module(exhibits()[name].module)


def controls_of(name: str) -> dict[str, Control]:
    """The controls of an exhibit by their fields."""
    return dict(module_of(name).Inputs.controls())


def guess_of(name: str) -> Control | None:
    """The control of its guess, if it has one."""
    asked = [one for one in controls_of(name).values() if one.kind == "segmented" and one.default == NOT_YET]
    return asked[0] if asked else None
