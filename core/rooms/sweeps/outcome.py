"""All runs of a sweep at once: a line for each across its settings to its loss, and the best loss of every pair."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core import ui
from core.browser.message import pack
from core.data.progress import seconds_left
from core.exhibit import Result
from core.jobs.runs import RunInfo
from core.jobs.sweeps.explained import explained
from core.jobs.sweeps.halving import go_on, rungs, share
from core.jobs.sweeps.store import State, Sweep, state_of
from core.rooms.sweeps import recorded_example as example
from core.rooms.sweeps.chosen import PAGE, Chosen, buttons
from core.rooms.sweeps.space import AXES, Value, grid, tick_position
from core.train.recipes import Recipe
from core.ui.models.about import nats_per
from core.ui.text import duration
from core.ui.training.task_choices import is_task
from core.ui.widgets.mount import mount

FOLLOWS = True
STATES = {
    "queued": "waits",
    "running": "trains",
    "paused": "waits",
    "stopped": "out",
    "finished": "done",
    "failed": "failed",
}
CODE = (grid, rungs, go_on, explained)


class Inputs(Chosen):
    """The sweep."""


class Row(Result):
    """One run of a sweep. Of a task its losses are shares of wrong answers."""

    run: RunInfo
    point: tuple[Value, ...]  # of each setting that varies
    losses: tuple[float | None, ...]  # after `Outcome.steps`, as far as it came

    @property
    def loss(self) -> float | None:
        """At the end of its training."""
        return self.losses[-1]


class Outcome(Result):
    """A sweep so far."""

    sweep: Sweep
    ticks: Mapping[str, Sequence[Value]]  # the values of each setting that varies
    steps: tuple[int, ...]  # after which losses are compared, the whole training last
    rows: tuple[Row, ...]  # in the order in which they train
    finished: tuple[Row, ...]  # those that trained to the end, best first
    state: State
    is_of_task: bool  # whether answers are counted, and not the loss of a text
    share: float  # steps of all runs together, of those that a grid without early stopping takes

    @property
    def first(self) -> int:
        """Steps after which losses are compared first."""
        return self.steps[0]

    @property
    def best(self) -> str:
        """The winner's settings in words."""
        return self.in_words(self.finished[0])

    def in_words(self, row: Row) -> str:
        """A run's settings."""
        pairs = zip(self.ticks, row.point, strict=True)
        return ", ".join(f"{AXES[name].label.lower()} {AXES[name].in_words(value)}" for name, value in pairs)

    @property
    def right(self) -> float:
        """The winner's share of right answers, of a task."""
        return 1 - (self.finished[0].loss or 0.0)

    @property
    def early_place(self) -> int | None:
        """Which place the winner had at the first rung, among all that were measured there."""
        if not self.finished or (own := self.finished[0].losses[0]) is None:
            return None
        return 1 + sum(row.losses[0] is not None and row.losses[0] < own for row in self.rows)

    @property
    def done(self) -> float:
        """Share of the steps that are made."""
        total = self.share * self.steps[-1] * len(self.rows)
        return min(1.0, sum(row.run.step for row in self.rows) / max(1.0, total))

    def explains(self, name: str) -> float | None:
        """Share of the spread between the final losses that a setting explains."""
        k = list(self.ticks).index(name)
        groups: dict[int, list[float]] = defaultdict(list)
        for row in self.finished:
            groups[round(tick_position(row.point[k], self.ticks[name]))].append(row.loss or 0.0)
        return explained(groups)

    @property
    def tuned(self) -> dict[str, list[tuple[str, float]]]:
        """Setting -> each value in words and the best final loss with it, the other settings chosen freely."""
        found: dict[str, list[tuple[str, float]]] = {}
        for k, (name, ticks) in enumerate(self.ticks.items()):
            best: dict[int, float] = {}
            for row in self.finished:  # best first
                best.setdefault(round(tick_position(row.point[k], ticks)), row.loss or 0.0)
            found[AXES[name].label] = [(AXES[name].in_words(ticks[at]), best[at]) for at in sorted(best)]
        return found

    def table(self) -> dict[str, list[Any]]:
        """One line for each run, the best first."""
        order = [*self.finished, *(row for row in self.rows if row.loss is None)]
        found: dict[str, list[Any]] = {
            AXES[name].label: [row.point[k] for row in order] for k, name in enumerate(self.ticks)
        }
        what = "share wrong" if self.is_of_task else "loss"
        found |= {f"{what} after {step} steps": [row.losses[k] for row in order] for k, step in enumerate(self.steps)}
        names = ("step", "state", "n_parameter", "seconds", "seed")
        return found | {name: [getattr(row.run, name) for row in order] for name in names}


def compute(inputs: Inputs) -> Outcome:
    """The outcome of a sweep so far."""
    sweep, runs, curves = inputs.read()
    n_step = sweep.rungs[-1][0]
    every = Recipe(name="", title="", corpus="", n_step=n_step).eval_every
    steps = sorted({step for step, _ in (*rungs(n_step, every, 2**9, 2), *sweep.rungs)})
    rows = []
    for run, point in zip(runs, sweep.about["points"], strict=True):
        known = dict(curves.get(run.id, ()))
        rows.append(Row(run=run, point=tuple(point), losses=tuple(known.get(step) for step in steps)))
    return Outcome(
        sweep=sweep,
        ticks=sweep.about["ticks"],
        steps=tuple(steps),
        rows=tuple(rows),
        finished=tuple(sorted((row for row in rows if row.loss is not None), key=lambda row: row.loss or 0.0)),
        state=state_of(runs),
        is_of_task=is_task(sweep.about["base"]["corpus"]),
        share=share(sweep.rungs),
    )


def draw(result: Outcome, inputs: Inputs) -> None:
    """Both pictures in one, what came out in words, and the buttons."""
    PAGE.follow()
    if result.state != inputs.phase:
        st.rerun()
    PAGE.say_problem()
    if result.state != "over":
        n_done = sum(row.run.state in ("finished", "stopped", "failed") for row in result.rows)
        st.progress(result.done, text=f"{n_done} of {len(result.rows)} runs are done{_left(result)}")
    buttons(result.sweep, result.state)
    mount("sweep", "sweeps.outcome", pack(_message(result), {}, compress=True), height=420)
    if result.finished:
        ui.say("best")
        if result.early_place is not None:
            ui.say("early")
        ui.say("tuned")
    else:
        ui.say("none")
    ui.say("about")


def _left(result: Outcome) -> str:
    """The time left at the speed so far; nothing before there is one, or while all runs wait."""
    going = sum(row.run.state == "running" for row in result.rows)
    left = seconds_left(result.done, sum(row.run.seconds for row in result.rows))  # of one core
    return f", about {duration(left / going)} left" if left is not None and going else ""


def _message(result: Outcome) -> dict[str, Any]:
    names = list(result.ticks)
    shares = {name: result.explains(name) for name in names}
    two = sorted(names, key=lambda name: shares[name] or 0.0, reverse=True)[:2]
    down, across = sorted(two, key=lambda name: len(result.ticks[name]))
    return {
        "widget": "sweep",
        "sweep": result.sweep.id,
        "label": "",
        "takeaway": f"The runs of a sweep over {', '.join(AXES[name].label for name in names)}.",
        "measure": "Share wrong" if result.is_of_task else "Loss",
        "best": "Fewest wrong" if result.is_of_task else "Best loss",
        "unit": "of all answers" if result.is_of_task else nats_per(result.sweep.about["base"]["tokenizer"]),
        "axes": [
            {
                "label": AXES[name].label,
                "ticks": [AXES[name].in_words(value) for value in result.ticks[name]],
                "share": shares[name],
            }
            for name in names
        ],
        "across": names.index(across),
        "down": names.index(down),
        "rungs": result.steps,
        "runs": [
            {
                "at": [round(tick_position(v, result.ticks[n]), 3) for n, v in zip(names, row.point, strict=True)],
                "words": [AXES[n].in_words(v) for n, v in zip(names, row.point, strict=True)],
                "scores": [None if loss is None else round(loss, 4) for loss in row.losses],
                "n_parameter": row.run.n_parameter,
                "seconds": row.run.seconds,
                "step": row.run.step,
                "state": STATES[row.run.state],
                "id": "" if result.sweep.id == example.ID else row.run.id,
            }
            for row in result.rows
        ],
    }
