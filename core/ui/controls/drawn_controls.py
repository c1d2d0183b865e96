"""A log of the page's controls and their values, filled as each control is drawn.

It serves links that hold a whole view, and lessons that wait until something has been set.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from core.ui import state

CONTROL_STATES, _EXHIBITS = "asked", "exhibits"
_PLACE: ContextVar[str] = ContextVar("place", default="")


@dataclass(frozen=True)
class ControlState:
    """The state of a control when it was last drawn."""

    label: str  # the text shown next to it
    value: object  # the value in force, checked
    address_values: tuple[str, ...]  # the value as the address encodes it; several parameters for a multiple selection
    is_fixed: bool  # locked or hidden, so that nobody can move it
    is_moved: bool = False  # its value differs from its default
    # title of the exhibit that contains it; "" for controls above the exhibits
    exhibit_title: str = field(default_factory=lambda: _PLACE.get())


@dataclass(frozen=True)
class PageExhibit:
    """An exhibit of the page, and whether a button in it trains."""

    title: str
    trains: bool


def clear_drawn_controls() -> None:
    """Forget the previous page. Call it at the start of a run of the whole page."""
    state.set_session_slot(CONTROL_STATES, {})
    state.set_session_slot(_EXHIBITS, {})


def note_exhibit(name: str, shown: PageExhibit) -> None:
    """Record an exhibit under its name on the page."""
    state.session_slot(_EXHIBITS, dict[str, PageExhibit])[name] = shown


def page_exhibits() -> Mapping[str, PageExhibit]:
    """Return the exhibits of the page by name, in page order."""
    return dict(state.session_slot(_EXHIBITS, dict[str, PageExhibit]))


@contextmanager
def exhibit_scope(place: str) -> Iterator[None]:
    """Assign the controls drawn inside to the exhibit with this title."""
    token = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(token)


def record_drawn_control(name: str, asked: ControlState) -> None:
    """Record a control under its name in the address."""
    noted: dict[str, ControlState] = state.session_slot(CONTROL_STATES, dict)
    noted[name] = asked


def page_controls_by_name() -> Mapping[str, ControlState]:
    """Return the controls of the page by their names in the address, in the order in which they were first drawn."""
    noted: dict[str, ControlState] = state.session_slot(CONTROL_STATES, dict)
    return dict(noted)
