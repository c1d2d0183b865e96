"""Pages that follow one run or sweep of the store: which one is shown, and when the whole page is redrawn."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.data.localization.labels import module_labels
from core.jobs.runs import RequestRefused, RunNotFound
from core.ui import state
from core.ui.controls import picks
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

DOUBLE_CLICK_SECONDS = 1.5


@dataclass(frozen=True)
class RunPageController:
    """A page whose panels rerun on their own, and whose callbacks may affect the whole page."""

    name: str  # prefix of its notes in the session
    parameter: str  # in the address: the id of the run or sweep that it shows

    def show(self, shown_id: str | None) -> None:
        """Choose what the page shows; None: the default. For callbacks."""
        picks.set_address_value(self.parameter, shown_id)
        self.redraw()

    def redraw(self) -> None:
        """Have the next `follow` redraw the whole page. For callbacks inside a fragment."""
        state.set_session_slot(f"{self.name}.redraw", True)

    def follow(self) -> None:
        """Redraw the whole page if a callback of this fragment has asked for it."""
        if state.session_slot(f"{self.name}.redraw", bool):
            state.clear_session_slot(f"{self.name}.redraw")
            st.rerun()

    def attempt(self, request: Callable[..., object], *args: object) -> None:
        """Send a request to the store, keep a refusal for `say_problem`, and redraw the page. For callbacks."""
        try:
            request(*args)
        except (RequestRefused, RunNotFound) as refusal:
            self.keep_problem(refusal)
        self.redraw()

    def create(self, wish: str, make: Callable[[], str]) -> bool:
        """Queue a run or sweep and show it. For callbacks.

        Args:
            wish: identifies the request, so that a double click creates only one.
            make: creates it and returns its id.

        Returns:
            True if it was queued; a refusal is kept for `say_problem`.
        """
        last: tuple[float, str] = state.session_slot(f"{self.name}.created", lambda: (0.0, ""))
        if last[1] == wish and time.monotonic() - last[0] < DOUBLE_CLICK_SECONDS:
            return False
        try:
            made = make()
        except ValueError as refusal:
            self.keep_problem(refusal)
            return False
        state.set_session_slot(f"{self.name}.created", (time.monotonic(), wish))
        self.show(made)
        return True

    def keep_problem(self, problem: object) -> None:
        """Keep a message for the next `say_problem`."""
        state.set_session_slot(f"{self.name}.problem", str(problem))

    def show_problem(self) -> None:
        """Show the last problem once, at the first call on the page."""
        problem = state.session_slot(f"{self.name}.problem", str)
        state.clear_session_slot(f"{self.name}.problem")
        if problem:
            st.warning(escape_markdown(problem), icon=":material/info:")


def point_to_top() -> None:
    """Show where something that was just chosen appears. For callbacks."""
    st.toast(LABELS["at_the_top"], icon=":material/arrow_upward:")


def delete_button(warning: str, key: str, on_click: Callable[..., None], *args: object) -> None:
    """Draw a button that asks for confirmation before it deletes.

    warning: the question, in Markdown.
    """
    with st.popover(LABELS["delete"], icon=":material/delete:"):
        st.markdown(warning)
        st.button(LABELS["delete_for_good"], type="primary", key=key, on_click=on_click, args=args)
