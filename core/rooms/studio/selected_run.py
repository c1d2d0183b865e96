"""The run that the studio shows, and its state as text."""

import json
from typing import Literal

import streamlit as st

from core.data.localization.labels import module_labels
from core.data.progress import estimated_seconds_left
from core.exhibit import Inputs, NothingToShow, text_input
from core.jobs.runs import RunInfo, RunNotFound
from core.rooms.studio import recorded_example as example
from core.rooms.studio.watched_tensors import initial_query
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.training.run_storage import run_store
from core.ui.training.training_run_page import RunPageController

LABELS = module_labels(__name__)

RUN_PAGE = RunPageController("studio", "run")
RunPhase = Literal["running", "next", "waiting", "over"]
# Phase -> seconds between two polls of the run and of its film, which is always sent as a whole.
_POLL_INTERVALS: dict[str, tuple[float, float | None]] = {
    "running": (0.3, 3.0), "next": (0.3, 3.0), "waiting": (1.0, None)
}  # fmt: skip
_ICONS = {
    "queued": (":material/hourglass_top:", "blue", LABELS["state.queued"]),
    "running": (":material/play_arrow:", "green", LABELS["state.running"]),
    "paused": (":material/pause:", "orange", LABELS["state.paused"]),
    "stopped": (":material/stop:", "gray", LABELS["state.stopped"]),
    "finished": (":material/check:", "green", LABELS["state.finished"]),
    "failed": (":material/error:", "red", LABELS["state.failed"]),
}


class SelectedRun(Inputs):
    """The run that the page shows, and its phase when the page was drawn."""

    run_id: str = text_input(example.EXAMPLE_ID)
    phase: str = text_input("over")

    @property
    def run(self) -> RunInfo:
        """The run in its current state, or the shipped example. Raises NothingToShow."""
        found = example.example_run() if self.run_id == example.EXAMPLE_ID else None
        try:
            return found or run_store().get(self.run_id)
        except RunNotFound:
            raise NothingToShow(LABELS["deleted"]) from None

    @property
    def poll_intervals(self) -> tuple[float | None, float | None]:
        """Seconds between two polls of the run and of its film; None if nothing changes."""
        return _POLL_INTERVALS.get(self.phase, (None, None))


def current_run() -> SelectedRun | None:
    """Return the run of the address, else this browser's newest active or newest run, else the example if available."""
    requested = st.query_params.get("run")
    if requested is not None:
        try:
            return _as_chosen(run_store().get(requested))
        except RunNotFound:
            RUN_PAGE.keep_problem(LABELS["link_refused"])
    if mine := run_store().list(owner_id()):
        return _as_chosen(next((run for run in mine if run.active), mine[0]))
    return SelectedRun() if example.example_run() is not None else None


def _as_chosen(run: RunInfo) -> SelectedRun:
    return SelectedRun(run_id=run.id, phase=phase_of(run))


def table_poll_interval() -> float | None:
    """Return the seconds between two polls of the table of runs."""
    return 2.0 if any(run.active for run in run_store().list(owner_id())) else None


def phase_of(run: RunInfo) -> RunPhase:
    """Return the phase of a run: training or next in line, further back in line, or over for now."""
    if run.state == "queued":
        return "next" if (run_store().queue_position(run.id) or 1) == 1 else "waiting"
    return "running" if run.active else "over"


def is_mine(run: RunInfo) -> bool:
    """Return whether this browser may pause, rename and delete the run."""
    return run.owner == owner_id()


def start_run(recipe: dict[str, object], seed: int, name: str | None = None) -> None:
    """Queue a run and show it. For callbacks."""
    wish = json.dumps([recipe, seed], sort_keys=True)
    RUN_PAGE.create(wish, lambda: run_store().create(owner_id(), recipe, seed, name, watch=initial_query(recipe)))


def draw_badge(run: RunInfo) -> None:
    """Draw the state of a run as an icon and a word."""
    icon, color, word = _ICONS.get(run.state, (":material/help:", "gray", run.state))
    if run.request is not None:
        word = {"pause": LABELS["request.pause"], "stop": LABELS["request.stop"]}.get(run.request, word)
    st.badge(word, icon=icon, color=color)  # type: ignore[arg-type]


def state_word(run: RunInfo) -> str:
    """Return the state as one word, for tables."""
    return _ICONS.get(run.state, ("", "", run.state))[2]


def run_seconds_left(run: RunInfo) -> float | None:
    """Return how long a run will still train at its speed of the last few seconds, or None before that is known."""
    per_step = int(run.recipe.get("batch_size", 0)) * int(run.recipe.get("model", {}).get("context_length", 64))
    speed = run.tokens_per_second / (per_step * run.n_step) if run.tokens_per_second and per_step else None
    return estimated_seconds_left(run.step / run.n_step, run.seconds, speed)
