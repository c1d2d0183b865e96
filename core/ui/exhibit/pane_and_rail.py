"""The layout of an exhibit: the picture in its pane; Set, Read and Try in the rail next to it.

The style sheets (`assets/brand/exhibit.css`) place them side by side, one below the other, or on a slide.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data.localization.labels import module_labels
from core.ui.controls import controls
from core.ui.frame.element_keys import page_element_key

LABELS = module_labels(__name__)

MOST_CONTROLS = 4  # always visible; the others are folded under "More"


@dataclass
class ExhibitContainers:
    """The rail of an exhibit: Set, Read and Try."""

    name: str  # of the exhibit on its page
    controls: DeltaGenerator  # the rail itself, for controls and chips to try
    sentences: DeltaGenerator  # the text, which the style sheet puts between the two
    pane: DeltaGenerator  # for the picture
    _n_control: int = 0
    _more: DeltaGenerator | None = None
    _unseen: DeltaGenerator | None = None

    def next_control_slot(self) -> DeltaGenerator:
        """Return the container of the next control: the first few are visible, the others are under "More"."""
        self._n_control += 1
        if self._n_control <= MOST_CONTROLS:
            return self.controls
        if self._more is None:
            is_lesson = bool(
                controls.active_control_overrides().prefix
            )  # a lesson may ask for any of them, so "More" is open
            self._more = self.controls.expander(
                LABELS["more"], key=page_element_key("more", self.name), expanded=is_lesson
            )
        return self._more

    def hidden_slot(self) -> DeltaGenerator:
        """Return the container of invisible controls, which get no heading and take no space."""
        if self._unseen is None:
            self._unseen = self.controls.container(key=page_element_key("unseen", self.name), gap=None)
        return self._unseen


_NOW: ContextVar[ExhibitContainers | None] = ContextVar("rail", default=None)


@contextmanager
def exhibit_layout(name: str) -> Iterator[ExhibitContainers]:
    """Draw the picture of an exhibit inside, in its pane; controls and text go to the rail next to it.

    Args:
        name: of the exhibit on its page.
    """
    pane = st.container(key=page_element_key("pane", name))
    beside = st.container(key=page_element_key("rail", name))
    rail = ExhibitContainers(name, beside, beside.container(key=page_element_key("read", name)), pane)
    token = _NOW.set(rail)
    try:
        with pane:
            yield rail
    finally:
        _NOW.reset(token)


def current_exhibit_containers() -> ExhibitContainers | None:
    """Return the rail of the exhibit that is being drawn; None outside an exhibit."""
    return _NOW.get()


def count_pane_elements() -> tuple[int, int]:
    """Count the elements in the pane of the exhibit that is being drawn, and the sentences in its rail."""
    rail = _NOW.get()
    cursors = [] if rail is None else [rail.pane._cursor, rail.sentences._cursor]
    in_pane, beside_it = (0 if cursor is None else cursor.index for cursor in cursors or (None, None))
    return in_pane, beside_it


def inputs_bar() -> DeltaGenerator:
    """Return the container of model and text: the page's bar, or a bar in the exhibit that asks for its own."""
    rail = current_exhibit_containers()
    key = page_element_key("looking", rail.name if rail else "")
    return st.container(key=key, horizontal=True, vertical_alignment="center", gap="small")


def exhibit_text_container() -> AbstractContextManager[object]:
    """Return the container of the exhibit's sentences; without a rail, they are drawn here."""
    rail = _NOW.get()
    return nullcontext() if rail is None else rail.sentences
