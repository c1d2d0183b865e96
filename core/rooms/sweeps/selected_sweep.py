"""The sweep that the page shows, and the actions that its owner can take."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import streamlit as st

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, NothingToShow, text_input
from core.jobs.runs import RunInfo, RunNotFound
from core.jobs.sweeps.sweep_store import SweepInfo, sweep_state
from core.rooms.sweeps import recorded_example as example
from core.rooms.sweeps.space import SWEEP_KIND
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.text_formatting import escape_markdown
from core.ui.training.run_storage import run_store
from core.ui.training.task_choices import is_task
from core.ui.training.training_run_page import RunPageController, delete_button

LABELS = module_labels(__name__)

SWEEP_PAGE = RunPageController("sweeps", "sweep")
POLL_SECONDS = 1.0  # between two polls of a running sweep


class SelectedSweep(Inputs):
    """The sweep that the page shows, and its state when the page was drawn."""

    sweep_id: str = text_input(example.EXAMPLE_SWEEP_ID)
    phase: str = text_input("over")

    def read(self) -> tuple[SweepInfo, list[RunInfo], example.LossCurves]:
        """Return its current state. Raises NothingToShow."""
        if self.sweep_id == example.EXAMPLE_SWEEP_ID:
            return example.read_example()
        try:
            sweep, runs = run_store().sweep(self.sweep_id), run_store().runs_of(self.sweep_id)
            return sweep, runs, run_store().curves_of(self.sweep_id, wrong=is_task(sweep.about["base"]["corpus"]))
        except RunNotFound:
            raise NothingToShow(LABELS["deleted"]) from None

    @property
    def poll_interval(self) -> float | None:
        """Seconds between two polls; None if nothing changes."""
        return POLL_SECONDS if self.phase == "going on" else None


def current_sweep() -> tuple[SelectedSweep, dict[str, str]]:
    """Return the sweep of the address, else this browser's newest, else the example; and all available, id -> name."""
    listed = {one.id: one.name for one in run_store().sweeps(owner_id(), SWEEP_KIND)}
    requested = st.query_params.get("sweep", "")
    if requested and requested != example.EXAMPLE_SWEEP_ID and requested not in listed:
        try:
            listed[requested] = run_store().sweep(requested).name
        except RunNotFound:
            SWEEP_PAGE.keep_problem(LABELS["link_refused"])
            requested = ""
    sweep_id = requested or next(iter(listed), example.EXAMPLE_SWEEP_ID)
    phase = "over" if sweep_id == example.EXAMPLE_SWEEP_ID else sweep_state(run_store().runs_of(sweep_id))
    return SelectedSweep(sweep_id=sweep_id, phase=phase), listed | {
        example.EXAMPLE_SWEEP_ID: LABELS("recorded", name=example.EXAMPLE_REQUEST.name)
    }


def draw_buttons(sweep: SweepInfo, phase: str) -> None:
    """Draw buttons to pause, continue and delete one's own sweep."""
    if not sweep.owner or sweep.owner != owner_id():
        return

    def button(label: str, icon: str, key: str, request: Callable[[str, str], object]) -> None:
        st.button(label, icon=icon, key=key, on_click=SWEEP_PAGE.attempt, args=(request, sweep.id, owner_id()))

    with st.container(horizontal=True, gap="small", key="sweep-buttons"):
        if phase == "going on":
            button(LABELS["pause"], ":material/pause:", "sweep-pause", run_store().pause_sweep)
        if phase == "paused":
            button(LABELS["go_on"], ":material/play_arrow:", "sweep-on", run_store().resume_sweep)
        warning = LABELS("delete", name=escape_markdown(sweep.name))
        delete_button(warning, "sweep-delete", _delete, sweep.id)


def _delete(sweep_id: str) -> None:
    SWEEP_PAGE.attempt(run_store().delete_sweep, sweep_id, owner_id())
    SWEEP_PAGE.show(None)


def choose_sweep(sweep_id: str, listed: dict[str, str]) -> Callable[[], AbstractContextManager[None]]:
    """Make a context that asks which sweep to show, in the rail of the exhibit that is drawn inside."""
    key = f"sweep-chosen-{sweep_id}"

    @contextmanager
    def within() -> Iterator[None]:
        rail = ui.current_exhibit_containers()
        if rail is not None and len(listed) > 1:
            with rail.controls:
                ids = list(listed)
                st.selectbox(
                    LABELS["sweep_id"],
                    ids,
                    ids.index(sweep_id),
                    format_func=listed.__getitem__,
                    key=key,
                    on_change=lambda: SWEEP_PAGE.show(str(st.session_state[key])),
                )
        yield

    return within
