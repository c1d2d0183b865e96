"""My runs: review them, select one or compare several."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import streamlit as st

from core import exhibit, ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, content_key, custom_control, segmented_control
from core.jobs.admission import KEPT_DAYS
from core.jobs.runs import RunInfo, RunNotFound
from core.rooms.studio import one_run, run_comparison
from core.rooms.studio.facts import last_losses, points_of
from core.rooms.studio.selected_run import RUN_PAGE, state_word
from core.ui import state
from core.ui.controls import picks
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.server.identity.visitor import is_own_machine
from core.ui.text_formatting import format_duration
from core.ui.training.run_storage import run_store
from core.ui.training.text_facts import corpus_or_task_title

LABELS = module_labels(__name__)

MAX_LISTED = 100  # the newest ones
MAX_COMPARED = 8  # as many colors and dashes as can be distinguished
FOLLOWS = True


class Inputs(exhibit.Inputs):
    """This browser's runs, and the selected ones."""

    listed: tuple[RunInfo, ...] = custom_control("core.rooms.studio.runs:list_runs", ())
    chosen: tuple[RunInfo, ...] = custom_control("core.rooms.studio.runs:choose_runs", (), listed=lambda i: i.listed)
    by: str = segmented_control(
        ("steps", "seconds"),
        "steps",
        name="axis",
        when=lambda i: len(i.chosen) > 1,
    )


class RunList(Result):
    """All listed runs, or the curves of several."""

    listed: tuple[RunInfo, ...]
    curves: Mapping[str, tuple[list[float], list[float]]]  # label -> (steps or seconds, losses)
    by: str  # "steps" or "seconds"

    def table(self) -> Table:
        """Return one row per run, or one per point of the curves."""
        if not self.curves:
            return _table(self.listed)
        rows = [(name, x, y) for name, ends in self.curves.items() for x, y in zip(*ends, strict=True)]
        names = (LABELS["column.run"], LABELS.options("by")[self.by], LABELS["column.val_loss"])
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def compute(inputs: Inputs) -> RunList:
    """Collect the validation losses of several selected runs. Their labels omit the text if all share it."""
    chosen = inputs.chosen if len(inputs.chosen) > 1 else ()
    names = [run.name.partition(", ") for run in chosen]
    is_shared = len({text for text, _, _ in names}) == 1 and all(rest for _, _, rest in names)
    labels = [_label(run, rest if is_shared else run.name) for run, (_, _, rest) in zip(chosen, names, strict=True)]
    drawn = {label: _curve(run, inputs.by) for run, label in zip(chosen, labels, strict=True)}
    return RunList(listed=inputs.listed, curves=drawn, by=inputs.by)


def _curve(run: RunInfo, by: str) -> tuple[list[float], list[float]]:
    measured = [(point.step, point.val_loss) for point in points_of(run) if point.val_loss is not None]
    per_step = run.seconds / run.step if by == "seconds" and run.step else 1.0
    return [step * per_step for step, _ in measured], [loss for _, loss in measured]


def draw(result: RunList, inputs: Inputs) -> None:
    """Draw the actions for one selected run, or the curves of several."""
    if not result.curves:
        if inputs.chosen:
            one_run.draw(inputs.chosen[0])
        else:
            none = LABELS["none"]
            st.caption(LABELS["choose"] if inputs.listed else none)
        return
    if not any(x for x, _ in result.curves.values()):
        st.caption(LABELS["no_losses"])
    ui.curves(
        result.curves,
        x=ui.Axis(LABELS["step_axis"] if inputs.by == "steps" else LABELS["seconds_axis"], format="~s"),
        y=ui.quantity_label(LABELS["loss_axis"], LABELS["nats"]),
        has_dots=True,
        height=320,
    )
    run_comparison.draw(inputs.chosen, list(result.curves))


def list_runs() -> tuple[RunInfo, ...]:
    """Draw the table of this browser's runs."""
    RUN_PAGE.follow()
    mine = run_store().list(owner_id())
    listed = tuple(mine[:MAX_LISTED])
    if len(mine) > MAX_LISTED:
        st.caption(LABELS("newest", n_listed=MAX_LISTED, n_run=len(mine)))
    if listed:
        _draw_table(_table(listed), [run.id for run in listed])
        if not is_own_machine():
            st.caption(LABELS("kept", n_day=KEPT_DAYS))
    return listed


def _table(listed: Sequence[RunInfo]) -> Table:
    losses = [last_losses(run) for run in listed]
    return {
        LABELS["column.name"]: [run.name for run in listed],
        LABELS["column.state"]: [state_word(run) for run in listed],
        LABELS["column.validation"]: [validation for _, validation in losses],
        LABELS["column.training"]: [loss for loss, _ in losses],
        LABELS["column.steps"]: [LABELS("steps_done", step=run.step, n_step=run.n_step) for run in listed],
        LABELS["column.time"]: [format_duration(run.seconds) for run in listed],
        LABELS["column.text"]: [corpus_or_task_title(str(run.recipe.get("corpus", ""))) for run in listed],
        LABELS["column.parameters"]: [run.n_parameter for run in listed],
        LABELS["column.seed"]: [run.seed for run in listed],
        LABELS["column.started"]: [
            datetime.fromtimestamp(run.created, UTC).strftime("%Y-%m-%d %H:%M") for run in listed
        ],
    }


def _draw_table(table: Table, ids: list[str]) -> None:
    import pandas as pd

    state.set_session_slot("studio.listed", ids)
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(table),
        key=table_key(ids),  # with different rows, an old click on a row would mean a different run
        hide_index=True,
        on_select=select_clicked_rows,
        selection_mode="multi-row",
        height=min(37 + 35 * len(ids), 320),
        column_config={
            LABELS["column.validation"]: number(format="%.3f"),
            LABELS["column.training"]: number(format="%.3f"),
            LABELS["column.parameters"]: number(format="localized"),
            LABELS["column.steps"]: st.column_config.TextColumn(width=110),
            LABELS["column.time"]: st.column_config.TextColumn(width=90),
        },
    )


def table_key(ids: Sequence[str]) -> str:
    """Return the key of the table that lists these runs."""
    return f"studio-table-{content_key(*ids)[:12]}"


def select_clicked_rows() -> None:
    """Select the runs of the clicked rows; `studio.listed` is the list as it was on screen."""
    ids: list[str] = state.session_slot("studio.listed", list)
    held = st.session_state.get(table_key(ids))
    rows = held["selection"]["rows"] if held else []
    st.session_state[one_run.SELECTED_KEY] = [ids[row] for row in rows if 0 <= row < len(ids)][:MAX_COMPARED]
    _remember()


def _remember() -> None:
    chosen = st.session_state.get(one_run.SELECTED_KEY) or []
    picks.set_address_value("compare", ",".join(chosen) if len(chosen) > 1 else None)


def choose_runs(listed: Sequence[RunInfo]) -> tuple[RunInfo, ...]:
    """Ask for some of these runs; a link may add other people's runs for comparison."""
    if not listed and "compare" not in st.query_params:
        return ()
    known = {run.id: run for run in listed}
    linked = st.query_params.get("compare", "")[:200].split(",")[:MAX_COMPARED]
    for run_id in linked:
        if run_id and run_id not in known:
            try:
                known[run_id] = run_store().get(run_id)
            except RunNotFound:
                continue
    if one_run.SELECTED_KEY not in st.session_state:
        st.session_state[one_run.SELECTED_KEY] = [run_id for run_id in linked if run_id in known]
    st.session_state[one_run.SELECTED_KEY] = [
        run_id for run_id in st.session_state[one_run.SELECTED_KEY] if run_id in known
    ]
    ids: list[str] = st.multiselect(
        LABELS["chosen"],
        list(known),
        key=one_run.SELECTED_KEY,
        format_func=lambda run_id: _label(known[run_id], known[run_id].name) if run_id in known else run_id,
        max_selections=MAX_COMPARED,
        on_change=_remember,
        placeholder=LABELS["chosen.placeholder"],
    )
    return tuple(known[run_id] for run_id in ids)


def _label(run: RunInfo, name: str) -> str:
    return LABELS("run_label", seed=run.seed, name=name, id=run.id[:4])  # the part that distinguishes twins comes first
