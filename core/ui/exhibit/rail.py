"""The layout of an exhibit: the picture in its pane; Set, Read and Try in the rail next to it.

The style sheets (`assets/brand/exhibit.css`) place them side by side, one below the other, or on a slide.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.controls import controls
from core.ui.frame.element_keys import frame_key

MOST_CONTROLS = 4  # always visible; the others are folded under "More"


@dataclass
class Rail:
    """The rail of an exhibit: Set, Read and Try."""

    name: str  # of the exhibit on its page
    controls: DeltaGenerator  # the rail itself, for controls and chips to try
    sentences: DeltaGenerator  # the text, which the style sheet puts between the two
    pane: DeltaGenerator  # for the picture
    _n_control: int = 0
    _more: DeltaGenerator | None = None
    _unseen: DeltaGenerator | None = None

    def place_for_a_control(self) -> DeltaGenerator:
        """Return the container of the next control: the first few are visible, the others are under "More"."""
        self._n_control += 1
        if self._n_control <= MOST_CONTROLS:
            return self.controls
        if self._more is None:
            is_lesson = bool(controls.in_force().prefix)  # a lesson may ask for any of them, so "More" is open
            self._more = self.controls.expander("More", key=frame_key("more", self.name), expanded=is_lesson)
        return self._more

    def place_out_of_sight(self) -> DeltaGenerator:
        """Return the container of invisible controls, which get no heading and take no space."""
        if self._unseen is None:
            self._unseen = self.controls.container(key=frame_key("unseen", self.name), gap=None)
        return self._unseen


_NOW: ContextVar[Rail | None] = ContextVar("rail", default=None)


@contextmanager
def laid_out(name: str) -> Iterator[Rail]:
    """Draw the picture of an exhibit inside, in its pane; controls and text go to the rail next to it.

    Args:
        name: of the exhibit on its page.
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
    """Return the rail of the exhibit that is being drawn; None outside an exhibit."""
    return _NOW.get()


def n_drawn() -> tuple[int, int]:
    """Count the elements in the pane of the exhibit that is being drawn, and the sentences in its rail."""
    rail = _NOW.get()
    cursors = [] if rail is None else [rail.pane._cursor, rail.sentences._cursor]
    in_pane, beside_it = (0 if cursor is None else cursor.index for cursor in cursors or (None, None))
    return in_pane, beside_it


def bar() -> DeltaGenerator:
    """Return the container of model and text: the page's bar, or a bar in the exhibit that asks for its own."""
    rail = beside()
    key = frame_key("looking", rail.name if rail else "")
    return st.container(key=key, horizontal=True, vertical_alignment="center", gap="small")


def reading() -> AbstractContextManager[object]:
    """Return the container of the exhibit's sentences; without a rail, they are drawn here."""
    rail = _NOW.get()
    return nullcontext() if rail is None else rail.sentences
