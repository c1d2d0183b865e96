"""Where the parts of an exhibit stand: the picture in its pane; Set, Read and Try in the rail beside it.

The style sheets lay them out (`assets/brand/exhibit.css`): side by side, one below the other, or on a slide.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.controls import controls
from core.ui.frame.element_keys import frame_key

MOST_CONTROLS = 4  # in sight; the others are folded under "More"


@dataclass
class Rail:
    """Set, Read and Try of an exhibit."""

    name: str  # of the exhibit where it stands
    controls: DeltaGenerator  # the rail itself, for controls and for what to try
    sentences: DeltaGenerator  # what is read, which the style sheet puts between the two
    pane: DeltaGenerator  # where the picture stands
    _n_control: int = 0
    _more: DeltaGenerator | None = None
    _unseen: DeltaGenerator | None = None

    def place_for_a_control(self) -> DeltaGenerator:
        """The first few stand open, all others behind "More", which a lesson opens."""
        self._n_control += 1
        if self._n_control <= MOST_CONTROLS:
            return self.controls
        if self._more is None:
            is_lesson = bool(controls.in_force().prefix)  # it may ask for any of them
            self._more = self.controls.expander("More", key=frame_key("more", self.name), expanded=is_lesson)
        return self._more

    def place_out_of_sight(self) -> DeltaGenerator:
        """Where a control stands that nobody sees: it gets no heading, and takes no place from the others."""
        if self._unseen is None:
            self._unseen = self.controls.container(key=frame_key("unseen", self.name), gap=None)
        return self._unseen


_NOW: ContextVar[Rail | None] = ContextVar("rail", default=None)


@contextmanager
def laid_out(name: str) -> Iterator[Rail]:
    """Draw the picture of an exhibit inside, in its pane; controls and sentences go to the rail beside it.

    Args:
        name: of the exhibit where it stands.
    """
    pane = st.container(key=frame_key("pane", name))
    beside = st.container(key=frame_key("rail", name))
    rail = Rail(name, beside, beside.container(key=frame_key("read", name)), pane)
    token = _NOW.set(rail)
    try:
        with pane:
            yield rail
    finally:
        _NOW.reset(token)


def beside() -> Rail | None:
    """The rail of the exhibit that is being drawn; None outside of one."""
    return _NOW.get()


def n_drawn() -> tuple[int, int]:
    """How many elements stand in the pane of the exhibit that is being drawn, and how many sentences beside it."""
    rail = _NOW.get()
    cursors = [] if rail is None else [rail.pane._cursor, rail.sentences._cursor]
    in_pane, beside_it = (0 if cursor is None else cursor.index for cursor in cursors or (None, None))
    return in_pane, beside_it


def bar() -> DeltaGenerator:
    """Where model and text stand: the page's bar, or the rail of the exhibit that asks for its own."""
    rail = beside()
    key = frame_key("looking", rail.name if rail else "")
    return st.container(key=key, horizontal=True, vertical_alignment="center", gap="small")


def reading() -> AbstractContextManager[object]:
    """Where the sentences of the exhibit go; here where there is no rail."""
    rail = _NOW.get()
    return nullcontext() if rail is None else rail.sentences
