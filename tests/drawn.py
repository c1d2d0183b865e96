"""An exhibit alone on a page, drawn without a browser: its controls, and all that it sends."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.exhibit import NOT_YET, Control, option_values
from core.rooms import all_exhibits
from core.ui.controls.address import to_address_values
from core.ui.controls.drawn_controls import CONTROL_STATES, ControlState
from core.ui.exhibit.exhibit import Exhibit
from core.ui.exhibit.exhibit_drawing_state import ExhibitDrawing
from core.ui.state import PREFIX
from tests.counts import IS_FULL


@dataclass(frozen=True)
class Drawn:
    """What a visitor gets of an exhibit.

    Attributes:
        test: its page.
        drawing: what was drawn; None where words stand in its place.
        controls: by their names in the address.
    """

    test: AppTest
    drawing: ExhibitDrawing | None
    controls: Mapping[str, ControlState]


def exhibit_alone() -> None:
    """The script of a page with one exhibit, the bar of its room above."""
    import streamlit as st

    from core.rooms import all_exhibits
    from core.ui.controls import drawn_controls

    drawn_controls.clear_drawn_controls()
    entry = all_exhibits()[st.session_state["exhibit"]]
    given = entry.render_bar()
    if given is not None:
        entry.show(*given)


def drawn(name: str, **address: Any) -> Drawn:
    """Draw an exhibit, "masks.kinds-of-masks", at an address."""
    test = AppTest.from_function(exhibit_alone, default_timeout=800)
    test.session_state["exhibit"] = name
    for parameter, value in address.items():
        test.query_params[parameter] = value
    found: list[ExhibitDrawing | None] = []
    draw = Exhibit.draw

    def noted(self: Exhibit, given: Any = None) -> ExhibitDrawing | None:
        found.append(draw(self, given))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exhibit, "draw", noted)
        test.run()
    key = f"{PREFIX}{CONTROL_STATES}"
    asked = dict(test.session_state[key]) if key in test.session_state else {}
    return Drawn(test, found[-1] if found else None, asked)


def module_of(name: str) -> ModuleType:
    """The module of an exhibit."""
    return importlib.import_module(all_exhibits()[name].module)


def controls_of(name: str) -> dict[str, Control]:
    """The controls of an exhibit by their fields."""
    return dict(module_of(name).Inputs.controls())


def guess_of(name: str) -> Control | None:
    """The control of its guess, if it has one."""
    asked = [one for one in controls_of(name).values() if one.kind == "segmented" and one.default == NOT_YET]
    return asked[0] if asked else None


def ends(control: Control) -> Iterator[Any]:
    """Where a control can stand at most; all options of a choice, but one where the server computes nothing."""
    if control.kind in ("slider", "number"):
        yield from (control.options["low"], max(control.options["low"], control.options["high"]))
    elif control.kind in ("select", "segmented"):
        options = list(option_values(control))
        yield from options[-1:] if (control.view or NOT_YET in options) and not IS_FULL else options
    elif control.kind == "several":
        yield from ((), tuple(option_values(control)))
    elif control.kind == "toggle":
        yield from (False, True)
    elif control.kind.startswith("text"):
        yield from ("", '$x$ <b>**a**</b> "Tom\'s" \\ {y}\n👩‍👩‍👧 \u202e')


def choices_at_their_ends(name: str, inputs: Any) -> dict[str, list[str]]:
    """An address at which all that an exhibit leaves to the browser to choose stands elsewhere than in these inputs."""
    return _elsewhere(name, inputs, lambda control: control.view is not None)


def settings_at_their_ends(name: str, inputs: Any) -> dict[str, list[str]]:
    """The same of what its server computes with, but for texts."""
    return _elsewhere(name, inputs, lambda one: one.view is None and one.kind in ("segmented", "select", "toggle"))


def _elsewhere(name: str, inputs: Any, is_meant: Callable[[Control], bool]) -> dict[str, list[str]]:
    found = dict[str, list[str]]()
    for field, control in controls_of(name).items():
        if is_meant(control):
            at = control.resolve(inputs)
            is_option = control.kind in ("segmented", "select")
            values = [one for one in (option_values(at) if is_option else ends(at)) if one != getattr(inputs, field)]
            # Of options the last but one: of layers and heads by name, say, the last one is its own mirror image.
            found |= {str(control.name): [*to_address_values(at, one)] for one in values[-2 if is_option else -1 :][:1]}
    return found
