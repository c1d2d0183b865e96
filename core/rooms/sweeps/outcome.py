"""All runs of a sweep at once: each as a line across its settings to its loss, and the best loss of every pair."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import streamlit as st

from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.data.progress import estimated_seconds_left
from core.exhibit import Column, Result, Table
from core.jobs.runs import RunInfo
from core.jobs.sweeps.halving import halving_cost_fraction, halving_rungs, promote_best_runs
from core.jobs.sweeps.sweep_store import SweepInfo, SweepState, sweep_state
from core.jobs.sweeps.variance_explained_by_settings import omega_squared
from core.rooms.sweeps import recorded_example as example
from core.rooms.sweeps.selected_sweep import SWEEP_PAGE, SelectedSweep, draw_buttons
from core.rooms.sweeps.space import SWEEP_AXES, AxisValue, grid_points, tick_position
from core.train.recipes import Recipe
from core.ui.models.model_description import loss_unit
from core.ui.text_formatting import format_duration
from core.ui.training.task_choices import is_task
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

FOLLOWS = True
STATE_LABELS = {
    "queued": LABELS["state.queued"],
    "running": LABELS["state.running"],
    "paused": LABELS["state.paused"],
    "stopped": LABELS["state.stopped"],
    "finished": LABELS["state.finished"],
    "failed": LABELS["state.failed"],
}
CODE = (grid_points, halving_rungs, promote_best_runs, omega_squared)


class Inputs(SelectedSweep):
    """The sweep."""


class SweepRow(Result):
    """One run of a sweep. If it learns a task, its losses are shares of wrong answers."""

    run: RunInfo
    point: tuple[AxisValue, ...]  # the value of each setting that varies
    losses: tuple[float | None, ...]  # after `SweepOutcome.steps`, as far as the run got

    @property
    def loss(self) -> float | None:
        """Final loss; None if the run stopped earlier."""
        return self.losses[-1]


class SweepOutcome(Result):
    """A sweep so far."""

    sweep: SweepInfo
    ticks: Mapping[str, Sequence[AxisValue]]  # the values of each setting that varies
    steps: tuple[int, ...]  # at which losses are compared; the last is the end of the run
    rows: tuple[SweepRow, ...]  # in the order in which they train
    finished: tuple[SweepRow, ...]  # those that trained to the end, best first
    state: SweepState
    is_of_task: bool  # True if answers are counted, False for the loss of a text
    share: float  # steps of all runs together, relative to a grid without early stopping
    progress: float  # share of the steps that are done
    best: str  # the winner's settings as text
    right: float  # the winner's accuracy, for a task
    early_place: int | None  # rank of the winner after `steps[0]`, among all runs measured there
    explained: dict[str, float | None]  # setting -> its share of the variance of the final losses
    tuned: dict[str, list[tuple[str, float]]]  # setting -> each value as text and the best final loss with it

    def table(self) -> Table:
        """Return one row per run, best first."""
        order = [*self.finished, *(row for row in self.rows if row.loss is None)]
        found: dict[str, Column] = {
            SWEEP_AXES[name].label: [row.point[k] for row in order] for k, name in enumerate(self.ticks)
        }
        after = "wrong_after" if self.is_of_task else "loss_after"
        found |= {LABELS(after, step=step): [row.losses[k] for row in order] for k, step in enumerate(self.steps)}
        names = LABELS.options("column")
        return found | {title: [getattr(row.run, name) for row in order] for name, title in names.items()}


def compute(inputs: Inputs) -> SweepOutcome:
    """Summarize a sweep so far."""
    sweep, runs, curves = inputs.read()
    ticks, n_step = sweep.about["ticks"], sweep.rungs[-1][0]
    every = Recipe(name="", title="", corpus="", n_step=n_step).eval_every
    steps = sorted({step for step, _ in (*halving_rungs(n_step, every, 2**9, 2), *sweep.rungs)})
    rows = []
    for run, point in zip(runs, sweep.about["points"], strict=True):
        known = dict(curves.get(run.id, ()))
        rows.append(SweepRow(run=run, point=tuple(point), losses=tuple(known.get(step) for step in steps)))
    finished = sorted((row for row in rows if row.loss is not None), key=lambda row: row.loss or 0.0)
    first = finished[0].losses[0] if finished else None
    early = [row.losses[0] for row in rows if row.losses[0] is not None]
    total = halving_cost_fraction(sweep.rungs) * steps[-1] * len(rows)
    return SweepOutcome(
        sweep=sweep,
        ticks=ticks,
        steps=tuple(steps),
        rows=tuple(rows),
        finished=tuple(finished),
        state=sweep_state(runs),
        is_of_task=is_task(sweep.about["base"]["corpus"]),
        share=halving_cost_fraction(sweep.rungs),
        progress=min(1.0, sum(run.step for run in runs) / max(1.0, total)),
        best=_format_settings(ticks, finished[0]) if finished else "",
        right=1 - (finished[0].loss or 0.0) if finished else 0.0,
        early_place=None if first is None else 1 + sum(loss < first for loss in early),
        explained={name: omega_squared(_losses_by_value(finished, ticks, name)) for name in ticks},
        tuned={
            SWEEP_AXES[name].label: [
                (SWEEP_AXES[name].in_words(ticks[name][at]), losses[0])
                for at, losses in sorted(_losses_by_value(finished, ticks, name).items())
            ]
            for name in ticks
        },
    )


def _format_settings(ticks: Mapping[str, Sequence[AxisValue]], row: SweepRow) -> str:
    """Describe a run's settings."""
    pairs = zip(ticks, row.point, strict=True)
    labels = LABELS.options("axis_in_text", *ticks)
    return ", ".join(f"{labels[name]} {SWEEP_AXES[name].in_words(value)}" for name, value in pairs)


def _losses_by_value(
    finished: Sequence[SweepRow], ticks: Mapping[str, Sequence[AxisValue]], name: str
) -> dict[int, list[float]]:
    """Return the tick index of a setting -> the final losses there, best first."""
    found: dict[int, list[float]] = defaultdict(list)
    k = list(ticks).index(name)
    for row in finished:
        found[round(tick_position(row.point[k], ticks[name]))].append(row.loss or 0.0)
    return found


def draw_progress(result: SweepOutcome, inputs: SelectedSweep) -> None:
    """Draw how far a sweep is, and its buttons; start again when it has reached another phase."""
    SWEEP_PAGE.follow()
    if result.state != inputs.phase:
        st.rerun()
    SWEEP_PAGE.show_problem()
    if result.state != "over":
        n_done = sum(row.run.state in ("finished", "stopped", "failed") for row in result.rows)
        st.progress(result.progress, text=_progress_text(n_done, result))
    draw_buttons(result.sweep, result.state)


def draw(result: SweepOutcome, inputs: Inputs) -> None:
    """Draw the lines of all runs, and the best loss of every pair of settings."""
    mount("sweep", "sweeps.outcome", pack_message(_message(result), {}, compress=True), height=420)


def _progress_text(n_done: int, result: SweepOutcome) -> str:
    """Return how many runs are done, and the time left at the speed so far, unless all runs wait."""
    going = sum(row.run.state == "running" for row in result.rows)
    left = estimated_seconds_left(result.progress, sum(row.run.seconds for row in result.rows))  # of one core
    if left is None or not going:
        return LABELS("done", n_done=n_done, n_run=len(result.rows))
    return LABELS("done_and_left", n_done=n_done, n_run=len(result.rows), time=format_duration(left / going))


def _message(result: SweepOutcome) -> dict[str, object]:
    names = list(result.ticks)
    two = sorted(names, key=lambda name: result.explained[name] or 0.0, reverse=True)[:2]
    down, across = sorted(two, key=lambda name: len(result.ticks[name]))
    return {
        "widget": "sweep",
        "sweep": result.sweep.id,
        "label": "",
        "takeaway": LABELS("takeaway", settings=", ".join(SWEEP_AXES[name].label for name in names)),
        "measure": LABELS["share_wrong"] if result.is_of_task else LABELS["loss"],
        "measured": LABELS["share_wrong.in_text"] if result.is_of_task else LABELS["loss.in_text"],
        "best": LABELS["fewest_wrong"] if result.is_of_task else LABELS["best_loss"],
        "unit": LABELS["of_all"] if result.is_of_task else loss_unit(result.sweep.about["base"]["tokenizer"]),
        "axes": [
            {
                "label": SWEEP_AXES[name].label,
                "ticks": [SWEEP_AXES[name].in_words(value) for value in result.ticks[name]],
                "share": result.explained[name],
            }
            for name in names
        ],
        "across": names.index(across),
        "down": names.index(down),
        "rungs": result.steps,
        "runs": [
            {
                "at": [round(tick_position(v, result.ticks[n]), 3) for n, v in zip(names, row.point, strict=True)],
                "words": [SWEEP_AXES[n].in_words(v) for n, v in zip(names, row.point, strict=True)],
                "scores": [None if loss is None else round(loss, 4) for loss in row.losses],
                "n_parameter": row.run.n_parameter,
                "seconds": row.run.seconds,
                "step": row.run.step,
                "state": STATE_LABELS[row.run.state],
                "id": "" if result.sweep.id == example.EXAMPLE_SWEEP_ID else row.run.id,
            }
            for row in result.rows
        ],
    }
