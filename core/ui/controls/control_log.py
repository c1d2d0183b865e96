"""What the controls of the page stand at, noted as each is drawn.

For links that hold a whole view, and for lessons that wait until something has been set.
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
    """A control as it was drawn last."""

    label: str  # what the person reads beside it
    value: object  # what is in force, checked
    written: tuple[str, ...]  # how the address says it; several parameters for a choice of several
    is_fixed: bool  # locked or hidden, so that nobody can move it
    is_moved: bool = False  # stands elsewhere than where it began
    # title of the exhibit that asks; "" for what stands above the exhibits
    place: str = field(default_factory=lambda: _PLACE.get())


@dataclass(frozen=True)
class ExhibitState:
    """An exhibit of the page, and whether a button in it trains."""

    title: str
    trains: bool


def begin() -> None:
    """Forget the page before. For the start of a run of the whole page."""
    state.put(ASKED, {})
    state.put(_EXHIBITS, {})


def note_exhibit(name: str, shown: ExhibitState) -> None:
    """Note an exhibit under its name on the page."""
    state.slot(_EXHIBITS, dict[str, ExhibitState])[name] = shown


def exhibits_here() -> Mapping[str, ExhibitState]:
    """The exhibits of the page by their names, in their order."""
    return dict(state.slot(_EXHIBITS, dict[str, ExhibitState]))


@contextmanager
def within(place: str) -> Iterator[None]:
    """Let the controls drawn inside belong to an exhibit of this title."""
    token = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(token)


def note(name: str, asked: ControlState) -> None:
    """Note a control under its name in the address."""
    noted: dict[str, ControlState] = state.slot(ASKED, dict)
    noted[name] = asked


def here() -> Mapping[str, ControlState]:
    """The controls of the page by their names in the address, in the order in which they were first drawn."""
    noted: dict[str, ControlState] = state.slot(ASKED, dict)
    return dict(noted)
