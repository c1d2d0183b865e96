"""Where the parts of an exhibit stand: the picture in its pane; Set, Read and Try in the rail beside it.

The style sheets lay them out (`assets/brand/exhibit.css`): side by side, one below the other, or on a slide.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.inputs import Control, Inputs
from core.ui import state
from core.ui.controls import controls, picks
from core.ui.exhibit.words import Try
from core.ui.frame.element_keys import frame_key

MOST_CONTROLS = 4  # in sight; the others are folded under "More"


@dataclass
class Rail:
    """Set, Read and Try of an exhibit.

    Attributes:
        name: of the exhibit where it stands.
        controls: the rail itself, for controls and for what to try.
        sentences: what is read, which the style sheet puts between the two.
        pane: where the picture stands.
    """

    name: str
    controls: DeltaGenerator
    sentences: DeltaGenerator
    pane: DeltaGenerator
    _n_control: int = 0
    _more: DeltaGenerator | None = None

    def place_for_a_control(self) -> DeltaGenerator:
        """The first few stand open, all others behind "More", which a lesson opens."""
        self._n_control += 1
        if self._n_control <= MOST_CONTROLS:
            return self.controls
        if self._more is None:
            is_lesson = bool(controls.in_force().prefix)  # it may ask for any of them
            self._more = self.controls.expander("More", key=frame_key("more", self.name), expanded=is_lesson)
        return self._more


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


def reading() -> Any:
    """Where the sentences of the exhibit go; here where there is no rail."""
    rail = _NOW.get()
    return nullcontext() if rail is None else rail.sentences


def offer(rail: Rail, tries: Sequence[Try], inputs: Inputs, given: Inputs | None) -> None:
    """What to try, as chips: one that is clicked sets its controls, and Read then says what to expect.

    Args:
        inputs: of the exhibit, as they are now.
        given: those among them that the whole page shares.
    """
    if not tries:
        return
    key, preset = frame_key("try", f"{rail.name}-chips"), controls.in_force()
    wants_page = f"{key}.page"

    def act() -> None:
        chosen = st.session_state.get(key)
        if isinstance(chosen, int) and 0 <= chosen < len(tries):
            with controls.presets(preset):
                names = {name for name, values in tries[chosen].sets.items() if _put(name, values, inputs)}
            own = {control.name for field, control in inputs.controls() if given is None or not hasattr(given, field)}
            state.put(wants_page, bool(names - own))

    chosen = rail.controls.pills(
        "Try",
        range(len(tries)),
        format_func=lambda at: tries[at].do,
        key=key,
        on_change=act,
        label_visibility="collapsed",
        wrap=True,
    )
    if isinstance(chosen, int):
        rail.sentences.markdown(f"**{tries[chosen].do}** {tries[chosen].expect}")
    if state.slot(wants_page, bool):
        state.forget(wants_page)
        st.rerun()


def checked(name: str, values: Sequence[str], inputs: Any) -> Any:
    """What a control is set to: an address's words as a value. Raises ValueError for what it cannot be."""
    control = _control(name, inputs)
    if control is None:  # of the room's bar: its model, its text
        return values[0]
    at = control.at(inputs)
    return at.check(tuple(values) if control.kind == "several" else values[0], inputs)


def _control(name: str, inputs: Any) -> Control | None:
    return next((one for _, one in inputs.controls() if one.name == name and one.kind != "custom"), None)


def _put(name: str, values: Sequence[str], inputs: Any) -> bool:
    """Set one control; whether it stands there. What does not fit the text or model of this moment is left alone."""
    control = _control(name, inputs)
    try:
        value = checked(name, values, inputs)
    except ValueError:
        return False
    if control is not None and control.kind == "picked":
        picks.remember(name, value)
        return True
    as_kept = {"number": float, "seed": float, "several": list}.get(control.kind if control else "")
    return controls.put(name, as_kept(value) if as_kept else value)
