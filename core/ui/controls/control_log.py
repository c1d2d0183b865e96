"""A log of the page's controls and their values, filled as each control is drawn.

It serves links that hold a whole view, and lessons that wait until something has been set.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from core.ui import state

ASKED, _EXHIBITS = "asked", "exhibits"
_PLACE: ContextVar[str] = ContextVar("place", default="")


@dataclass(frozen=True)
class ControlState:
    """The state of a control when it was last drawn."""

    label: str  # the text shown next to it
    value: object  # the value in force, checked
    written: tuple[str, ...]  # the value as the address encodes it; several parameters for a multiple selection
    is_fixed: bool  # locked or hidden, so that nobody can move it
    is_moved: bool = False  # its value differs from its default
    # title of the exhibit that contains it; "" for controls above the exhibits
    place: str = field(default_factory=lambda: _PLACE.get())


@dataclass(frozen=True)
class ExhibitState:
    """An exhibit of the page, and whether a button in it trains."""

    title: str
    trains: bool


def begin() -> None:
    """Forget the previous page. Call it at the start of a run of the whole page."""
    state.put(ASKED, {})
    state.put(_EXHIBITS, {})


def note_exhibit(name: str, shown: ExhibitState) -> None:
    """Record an exhibit under its name on the page."""
    state.slot(_EXHIBITS, dict[str, ExhibitState])[name] = shown


def exhibits_here() -> Mapping[str, ExhibitState]:
    """Return the exhibits of the page by name, in page order."""
    return dict(state.slot(_EXHIBITS, dict[str, ExhibitState]))


@contextmanager
def within(place: str) -> Iterator[None]:
    """Assign the controls drawn inside to the exhibit with this title."""
    token = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(token)


def note(name: str, asked: ControlState) -> None:
    """Record a control under its name in the address."""
    noted: dict[str, ControlState] = state.slot(ASKED, dict)
    noted[name] = asked


def here() -> Mapping[str, ControlState]:
    """Return the controls of the page by their names in the address, in the order in which they were first drawn."""
    noted: dict[str, ControlState] = state.slot(ASKED, dict)
    return dict(noted)
