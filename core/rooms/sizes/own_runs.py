"""The button of the exhibit of budgets, and one's own runs of it: a sweep, in the line of all runs."""

from contextlib import suppress

import streamlit as st

from core.jobs.runs import RunInfo, RunNotFound
from core.jobs.sweeps.store import Sweep, state_of
from core.rooms.sizes.compute.isoflop_runs import KIND, Losses, begin, losses_of, recorded, runs
from core.ui import state
from core.ui.server.identity.owner import owner_id
from core.ui.text import escape_markdown
from core.ui.training.runs import store, training_is_off

PACE = 1.0  # seconds between two looks


def pace() -> float | None:
    """Seconds between two looks at one's own runs; None: nothing changes."""
    found = PACE if state_of(_mine()[1]) == "going on" else None
    state.put("isoflop.pace", found)
    return found


def measured() -> Losses:
    """The button and the progress of one's own runs; their losses, or else those recorded."""
    before = state.slot("isoflop.pace", lambda: None)
    sweep, mine = _mine()
    if pace() != before:
        st.rerun()  # the page sets whether this is looked at again and again
    if problem := state.slot("isoflop.problem", str):
        state.forget("isoflop.problem")
        st.warning(escape_markdown(problem), icon=":material/info:")
    if sweep is None:
        st.button(
            "Train all",
            icon=":material/play_arrow:",
            key="isoflop-train",
            on_click=_begin,
            disabled=training_is_off(),
            help="Training is switched off on this server." if training_is_off() else None,
        )
        st.caption(f"{len(runs())} models: some six minutes on one core. Those shown were trained before.")
        return recorded()
    n_done = sum(run.state in ("finished", "failed") for run in mine)
    if n_done < len(mine):
        st.progress(n_done / len(mine), text=f"{n_done} of {len(mine)} of your own models are trained")
    else:
        st.caption("These are your own.")
    label = "Stop" if n_done < len(mine) else "Back to the example"
    st.button(label, key="isoflop-back", on_click=_delete, args=(sweep.id,))
    return losses_of(store(), sweep)


def _mine() -> tuple[Sweep | None, list[RunInfo]]:
    newest = next(iter(store().sweeps(owner_id(), KIND)), None)
    return newest, store().runs_of(newest.id) if newest else []


def _begin() -> None:
    try:
        if _mine()[0] is None and not training_is_off():  # a double click is one wish
            begin(store(), owner_id())
    except ValueError as refusal:
        state.put("isoflop.problem", str(refusal))


def _delete(sweep_id: str) -> None:
    with suppress(RunNotFound):
        store().delete_sweep(sweep_id, owner_id())
