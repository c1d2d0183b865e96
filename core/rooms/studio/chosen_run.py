"""Which run the studio looks at, and what a person may do with it."""

import time
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from core.data.progress import seconds_left
from core.exhibit import Inputs, NothingToShow, text_input
from core.jobs.runs import RequestRefused, RunInfo, RunNotFound
from core.rooms.studio import recorded_example as example
from core.rooms.studio.watching import to_begin_with
from core.ui import state
from core.ui.controls import picks
from core.ui.server.identity.owner import owner_id
from core.ui.text import escape_markdown
from core.ui.training.runs import store

Phase = Literal["running", "next", "waiting", "over"]
DOUBLE_CLICK_SECONDS = 1.5
_ICONS = {
    "queued": (":material/hourglass_top:", "blue", "waiting"),
    "running": (":material/play_arrow:", "green", "training"),
    "paused": (":material/pause:", "orange", "paused"),
    "stopped": (":material/stop:", "gray", "stopped"),
    "finished": (":material/check:", "green", "finished"),
    "failed": (":material/error:", "red", "failed"),
}


def chosen_run() -> RunInfo | None:
    """The run in the address; without one, this browser's newest active run, or its newest of all."""
    asked = st.query_params.get("run")
    if asked is not None:
        try:
            return store().get(asked)
        except RunNotFound:
            state.put("studio.problem", "The run in this link is not here, or no longer is.")
    mine = store().list(owner_id())
    return next((run for run in mine if run.active), mine[0] if mine else None)


class Chosen(Inputs):
    """The run that the page looks at, and how often it was worth looking at when the page was drawn."""

    run_id: str = text_input("Run", example.ID)
    phase: str = text_input("Phase", "over")

    @property
    def run(self) -> RunInfo:
        """As it is now, or the example that ships. Raises NothingToShow."""
        found = example.info() if self.run_id == example.ID else None
        try:
            return found or store().get(self.run_id)
        except RunNotFound:
            raise NothingToShow("This run has been deleted.") from None


@dataclass(frozen=True)
class Look:
    """What the page looks at.

    Attributes:
        run: None if there is neither a run nor an example.
        is_named: whether the address names it: then it comes first, and the settings of the next one after it.
    """

    run: Chosen | None
    is_named: bool

    @property
    def pace(self) -> tuple[float | None, float | None]:
        """Seconds between two looks at the run, and at its film, which is sent anew as a whole; None: nothing changes.

        A place in line changes slowly.
        """
        paces = {"running": (0.3, 3.0), "next": (0.3, 3.0), "waiting": (1.0, None)}
        return paces.get(self.run.phase if self.run else "", (None, None))


def look() -> Look:
    """The run of the address; else this browser's newest; else the example that ships."""
    run = chosen_run()
    if run is None:
        return Look(Chosen() if example.info() is not None else None, False)
    return Look(Chosen(run_id=run.id, phase=phase_of(run)), st.query_params.get("run") == run.id)


def runs_pace() -> float | None:
    """Seconds between two looks at the table of runs."""
    return 2.0 if any(run.active for run in store().list(owner_id())) else None


def phase_of(run: RunInfo) -> Phase:
    """How often a run is worth looking at: training or next in line, further back in line, or over for now."""
    if run.state == "queued":
        return "next" if (store().queue_position(run.id) or 1) == 1 else "waiting"
    return "running" if run.active else "over"


def is_mine(run: RunInfo) -> bool:
    """Whether this browser may pause, rename and delete it."""
    return run.owner == owner_id()


def look_at(run_id: str | None) -> None:
    """Choose a run, and have the whole page follow. For callbacks."""
    picks.remember("run", run_id)
    rebuild()


def rebuild() -> None:
    """Have the whole page drawn again at the next `follow`, for a callback inside a fragment."""
    state.put("studio.rebuild", True)


def follow() -> None:
    """Draw the whole page again if a callback of this fragment has asked for it."""
    if state.slot("studio.rebuild", bool):
        state.forget("studio.rebuild")
        st.rerun()


def start(recipe: dict[str, Any], seed: int, name: str | None = None) -> None:
    """Queue a run and look at it; a refusal is kept for `say_problem`. For callbacks."""
    last: tuple[float, Any] = state.slot("studio.started", lambda: (0.0, None))
    asked = (recipe, seed)
    if last[1] == asked and time.monotonic() - last[0] < DOUBLE_CLICK_SECONDS:
        return  # a double click is one wish
    try:
        run_id = store().create(owner_id(), recipe, seed, name, watch=to_begin_with(recipe))
    except ValueError as refusal:
        state.put("studio.problem", str(refusal))
        return
    state.put("studio.started", (time.monotonic(), asked))
    look_at(run_id)


def ask(run_id: str, action: str) -> None:
    """Pause, resume or stop. For callbacks."""
    try:
        store().request(run_id, owner_id(), action)
    except (RequestRefused, RunNotFound) as refusal:
        state.put("studio.problem", str(refusal))
    rebuild()


def say_problem() -> None:
    """Say what went wrong in the last callback, once, wherever on the page this comes first."""
    problem: str | None = state.slot("studio.problem", lambda: None)
    state.forget("studio.problem")
    if problem:
        st.warning(escape_markdown(problem), icon=":material/info:")


def badge(run: RunInfo) -> None:
    """The state of a run, as an icon and a word."""
    icon, color, word = _ICONS.get(run.state, (":material/help:", "gray", run.state))
    if run.request is not None:
        word = {"pause": "pausing", "stop": "stopping"}.get(run.request, word)
    st.badge(word, icon=icon, color=color)  # type: ignore[arg-type]


def state_in_words(run: RunInfo) -> str:
    """The state in one word, for tables."""
    return _ICONS.get(run.state, ("", "", run.state))[2]


def run_seconds_left(run: RunInfo) -> float | None:
    """Return how long a run will still train, at the speed of the last few seconds; None before that is known."""
    per_step = int(run.recipe.get("batch_size", 0)) * int(run.recipe.get("model", {}).get("context_length", 64))
    speed = run.tokens_per_second / (per_step * run.n_step) if run.tokens_per_second and per_step else None
    return seconds_left(run.step / run.n_step, run.seconds, speed)
