"""Where the parts of an exhibit stand: the picture in its pane; Set, Read and Try in the rail beside it.

The style sheets lay them out (`assets/brand/exhibit.css`): side by side, one below the other, or on a slide.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.controls import controls

MOST_CONTROLS = 4  # in sight; the others are folded under "More"


@dataclass
class Rail:
    """Set, Read and Try of an exhibit.

    Attributes:
        name: of the exhibit where it stands.
        controls: the rail itself, for controls and for what to try.
        sentences: what is read, which the style sheet puts between the two.
    """

    name: str
    controls: DeltaGenerator
    sentences: DeltaGenerator
    _n_control: int = 0
    _more: DeltaGenerator | None = None

    def place_for_a_control(self) -> DeltaGenerator:
        """The first few stand open, all others behind "More", which a lesson opens."""
        self._n_control += 1
        if self._n_control <= MOST_CONTROLS:
            return self.controls
        if self._more is None:
            is_lesson = bool(controls.in_force().prefix)  # it may ask for any of them
            self._more = self.controls.expander("More", key=f"more-{self.name}", expanded=is_lesson)
        return self._more


_NOW: ContextVar[Rail | None] = ContextVar("rail", default=None)


@contextmanager
def laid_out(name: str) -> Iterator[Rail]:
    """Draw the picture of an exhibit inside, in its pane; controls and sentences go to the rail beside it.

    Args:
        name: of the exhibit where it stands.
    """
    pane = st.container(key=f"pane-{name}")
    beside = st.container(key=f"rail-{name}")
    rail = Rail(name, beside, beside.container(key=f"read-{name}"))
    token = _NOW.set(rail)
    try:
        with pane:
            yield rail
    finally:
        _NOW.reset(token)


def beside() -> Rail | None:
    """The rail of the exhibit that is being drawn; None outside of one."""
    return _NOW.get()


def reading() -> Any:
    """Where the sentences of the exhibit go; here where there is no rail."""
    rail = _NOW.get()
    return nullcontext() if rail is None else rail.sentences
