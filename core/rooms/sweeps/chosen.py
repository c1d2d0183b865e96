"""Which sweep the page looks at, and what a person may do with it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import ui
from core.exhibit import Inputs, NothingToShow, text_input
from core.jobs.runs import RunInfo, RunNotFound
from core.jobs.sweeps.store import Sweep, state_of
from core.rooms.sweeps import recorded_example as example
from core.rooms.sweeps.asked import KIND
from core.ui import state
from core.ui.controls import picks
from core.ui.server.identity.owner import owner_id
from core.ui.text import escape_markdown
from core.ui.training.runs import store
from core.ui.training.task_choices import is_task

PACE = 1.0  # seconds between two looks at a sweep that goes on


class Chosen(Inputs):
    """The sweep that the page looks at, and how it stood when the page was drawn."""

    sweep_id: str = text_input("Sweep", example.ID)
    phase: str = text_input("Phase", "over")

    def read(self) -> tuple[Sweep, list[RunInfo], example.Curves]:
        """As it is now. Raises NothingToShow."""
        if self.sweep_id == example.ID:
            return example.read()
        try:
            sweep, runs = store().sweep(self.sweep_id), store().runs_of(self.sweep_id)
            return sweep, runs, store().curves_of(self.sweep_id, wrong=is_task(sweep.about["base"]["corpus"]))
        except RunNotFound:
            raise NothingToShow("This sweep has been deleted.") from None


@dataclass(frozen=True)
class Look:
    """What the page looks at, and what else there is: id -> name."""

    given: Chosen
    listed: dict[str, str]

    @property
    def pace(self) -> float | None:
        """Seconds between two looks; None: nothing changes."""
        return PACE if self.given.phase == "going on" else None


def look() -> Look:
    """The sweep of the address; else this browser's newest; else the example that ships."""
    mine = {one.id: one.name for one in store().sweeps(owner_id(), KIND)}
    asked = st.query_params.get("sweep", "")
    if asked and asked != example.ID and asked not in mine:
        try:
            mine[asked] = store().sweep(asked).name
        except RunNotFound:
            state.put("sweeps.problem", "The sweep in this link is not here, or no longer is.")
            asked = ""
    chosen = asked or next(iter(mine), example.ID)
    phase = "over" if chosen == example.ID else state_of(store().runs_of(chosen))
    return Look(Chosen(sweep_id=chosen, phase=phase), mine | {example.ID: f"Recorded: {example.ASKED.name}"})


def look_at(sweep_id: str | None) -> None:
    """Choose a sweep, and have the whole page follow. For callbacks."""
    picks.remember("sweep", sweep_id)
    state.put("sweeps.rebuild", True)


def follow() -> None:
    """Draw the whole page again if a callback of this fragment has asked for it."""
    if state.slot("sweeps.rebuild", bool):
        state.forget("sweeps.rebuild")
        st.rerun()


def say_problem() -> None:
    """Say what went wrong in the last callback, once, wherever on the page this comes first."""
    problem: str | None = state.slot("sweeps.problem", lambda: None)
    state.forget("sweeps.problem")
    if problem:
        st.warning(escape_markdown(problem), icon=":material/info:")


def buttons(sweep: Sweep, phase: str) -> None:
    """Pause, go on, delete: of one's own."""
    if not sweep.owner or sweep.owner != owner_id():
        return
    with st.container(horizontal=True, gap="small", key="sweep-buttons"):
        if phase == "going on":
            st.button(
                "Pause", icon=":material/pause:", key="sweep-pause", on_click=_do, args=(store().pause_sweep, sweep.id)
            )
        if phase == "paused":
            st.button(
                "Go on", icon=":material/play_arrow:", key="sweep-on", on_click=_do,
                args=(store().resume_sweep, sweep.id),
            )  # fmt: skip
        with st.popover("Delete …", icon=":material/delete:"):
            st.markdown(f"Delete **{escape_markdown(sweep.name)}** with all its runs, for good?")
            st.button("Delete for good", type="primary", key="sweep-delete", on_click=_delete, args=(sweep.id,))


def _do(ask: Callable[[str, str], Any], sweep_id: str) -> None:
    try:
        ask(sweep_id, owner_id())
    except RunNotFound as refusal:
        state.put("sweeps.problem", str(refusal))
    state.put("sweeps.rebuild", True)


def _delete(sweep_id: str) -> None:
    _do(store().delete_sweep, sweep_id)
    look_at(None)


def choose(look: Look) -> Callable[[], AbstractContextManager[None]]:
    """Which sweep is shown, in the rail of the exhibit that is drawn inside."""

    @contextmanager
    def within() -> Iterator[None]:
        rail = ui.beside()
        if rail is not None and len(look.listed) > 1:
            with rail.controls:
                st.selectbox(
                    "Sweep",
                    list(look.listed),
                    list(look.listed).index(look.given.sweep_id),
                    format_func=look.listed.__getitem__,
                    key=f"sweep-chosen-{look.given.sweep_id}",
                    on_change=_choose,
                    args=(f"sweep-chosen-{look.given.sweep_id}",),
                )
        yield

    return within


def _choose(key: str) -> None:
    look_at(str(st.session_state[key]))
