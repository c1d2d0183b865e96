"""The best run of each size, and a line for one other choice: is a bigger model worth more than a better setting?"""

from collections.abc import Sequence
from itertools import pairwise

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.rooms.sweeps import outcome
from core.rooms.sweeps.outcome import SweepOutcome, SweepRow
from core.rooms.sweeps.selected_sweep import SelectedSweep
from core.rooms.sweeps.space import SWEEP_AXES, tick_position

LABELS = module_labels(__name__)

FOLLOWS = True
NAMES = outcome.LABELS.options("axis_in_text", *SWEEP_AXES)  # of settings, within a sentence
ACROSS = ("d_model", "n_layer", "n_head", "context_length", "length")  # the first that varies has the columns
RATE = "learning_rate"
SCALE_SHARE = 0.95  # of the runs end within the scale; the others are marked as above it
LEAST_SCALE = 0.01  # of losses, from one end to the other
CODE = (outcome.compute,)


class Inputs(SelectedSweep):
    """The sweep."""


class BestOfEach(Result):
    """The runs of a sweep by one setting, and two of them to compare; of unfinished sweeps as far as they got."""

    whole: SweepOutcome
    across: str  # the setting whose values stand side by side
    tuned: str  # another one, whose value has to fit
    best: tuple[
        tuple[int | None, ...], ...
    ]  # step -> value of `across` -> the number of its best run in `whole.rows`, if any
    sizes: tuple[int, ...]  # parameters of the models with each value, growing; empty if they differ or don't grow
    worse: int | None  # the best run with the last value that is still worse than the best one with the first value
    is_falling: bool  # True if the best runs get better from each value to the next

    @property
    def times(self) -> float | None:
        """Parameters of the models with the last value, relative to those with the first; None if unknown."""
        if self.worse is None or not self.sizes:
            return None
        return self.sizes[-1] / self.sizes[0]

    def table(self) -> Table:
        """Return one row per run, best first."""
        return self.whole.table()


def compute(inputs: Inputs) -> BestOfEach:
    """Find the best run of each value, and one to compare."""
    whole = outcome.compute(outcome.Inputs(sweep_id=inputs.sweep_id, phase=inputs.phase))
    names = list(whole.ticks)
    across = next((name for name in ACROSS if name in names), names[0])
    others = [name for name in names if name != across]
    tuned = RATE if RATE in others else max(others, key=lambda name: len(whole.ticks[name]))
    best = tuple(_best_of_each(whole, across, step) for step in range(len(whole.steps)))
    losses = [whole.rows[i].loss or 0.0 for i in best[-1] if i is not None]
    return BestOfEach(
        whole=whole,
        across=across,
        tuned=tuned,
        best=best,
        sizes=_sizes(whole, across),
        worse=_worse(whole, best[-1][0], best[-1][-1], across, tuned),
        is_falling=len(losses) == len(best[-1]) and all(before > after for before, after in pairwise(losses)),
    )


def column_of(whole: SweepOutcome, row: SweepRow, name: str) -> int:
    """Return the number of the value that a run has of a setting, or the nearest one."""
    return round(tick_position(row.point[list(whole.ticks).index(name)], whole.ticks[name]))


def _best_of_each(whole: SweepOutcome, across: str, step: int) -> tuple[int | None, ...]:
    """Return the number of the best run with each value of a setting, after `whole.steps[step]`."""
    found: dict[int, tuple[float, int]] = {}
    for i, row in enumerate(whole.rows):
        loss, tick = row.losses[step], column_of(whole, row, across)
        if loss is not None:
            found[tick] = min(found.get(tick, (loss, i)), (loss, i))
    return tuple(found[tick][1] if tick in found else None for tick in range(len(whole.ticks[across])))


def _sizes(whole: SweepOutcome, across: str) -> tuple[int, ...]:
    """Return the number of parameters with each value; empty unless each has one number, larger than the one before."""
    found: dict[int, set[int]] = {}
    for row in whole.rows:
        found.setdefault(column_of(whole, row, across), set()).add(row.run.n_parameter)
    sizes = tuple(min(counts) for _, counts in sorted(found.items()) if len(counts) == 1)
    is_growing = len(sizes) == len(whole.ticks[across]) and all(before < after for before, after in pairwise(sizes))
    return sizes if is_growing else ()


def _worse(whole: SweepOutcome, first: int | None, last: int | None, across: str, tuned: str) -> int | None:
    """Return the best run with the last value that loses to the best one with the first, and differs in `tuned` only
    from the last value's best; None if that one loses too.
    """
    if first is None or last is None or (whole.rows[last].loss or 0.0) >= (whole.rows[first].loss or 0.0):
        return None
    fixed = [name for name in whole.ticks if name not in (across, tuned)]
    small, large = whole.rows[first], whole.rows[last]

    def is_like(row: SweepRow) -> bool:
        return all(column_of(whole, row, name) == column_of(whole, large, name) for name in (across, *fixed))

    found = [
        i
        for i, row in enumerate(whole.rows)
        if row.loss is not None and row.loss > (small.loss or 0.0) and is_like(row)
    ]
    return min(found, key=lambda i: whole.rows[i].loss or 0.0, default=None)


def _scale(whole: SweepOutcome, shown: Sequence[int | None]) -> tuple[float, float]:
    """Return the ends of the scale of losses: it holds all finished runs but the worst, and all that are `shown`."""
    losses = [row.loss or 0.0 for row in whole.finished]
    best = [whole.rows[i].loss or 0.0 for i in shown if i is not None]
    high = max(losses[int(SCALE_SHARE * (len(losses) - 1))], *best)
    return round(losses[0], 4), round(max(high, losses[0] + LEAST_SCALE), 4)


def draw(result: BestOfEach, inputs: Inputs) -> None:
    """Draw the buttons, and all runs in columns."""
    whole = result.whole
    outcome.draw_progress(whole, inputs)
    if not whole.finished:
        return
    names, rows = list(whole.ticks), whole.rows
    ui.mount_widget(
        "best_of_each",
        key=f"best-of-each-{whole.sweep.id}",
        height=420,
        sweep=whole.sweep.id,
        axes=[SWEEP_AXES[name].label for name in names],
        across=names.index(result.across),
        tuned=names.index(result.tuned),
        ticks=[SWEEP_AXES[result.across].in_words(value) for value in whole.ticks[result.across]],
        sizes=result.sizes,
        rungs=whole.steps,
        runs=[
            {
                "at": [column_of(whole, row, name) for name in names],
                "words": [SWEEP_AXES[name].in_words(v) for name, v in zip(names, row.point, strict=True)],
                "scores": [None if loss is None else round(loss, 4) for loss in row.losses],
            }
            for row in rows
        ],
        worse=result.worse,
        best=result.best,
        scale=_scale(whole, result.best[-1]),
        measured=LABELS["wrong" if whole.is_of_task else "error"],
        like_name=NAMES[result.tuned],
        best_name=LABELS["best_name.rate" if result.tuned == RATE else "best_name"],
        pair="" if result.times is None else LABELS("pair", times=result.times),
        says=_sentence(result),
        takeaway=ui.section_text("takeaway"),
    )


def _sentence(result: BestOfEach) -> str:
    """Return what the picture shows of a sweep, as far as it got."""
    whole, first = result.whole, result.best[-1][0]
    if result.worse is None or first is None:
        return LABELS("sentence.best", n=len(whole.finished), settings=whole.best, loss=whole.finished[0].loss)
    if result.times is not None:
        said = LABELS("sentence.size.rate" if result.tuned == RATE else "sentence.size", times=result.times)
        return f"{said} {LABELS['sentence.falling']}" if result.is_falling else said

    def value(row: int, name: str) -> str:
        return SWEEP_AXES[name].in_words(whole.rows[row].point[list(whole.ticks).index(name)])

    return LABELS(
        "sentence.pair",
        across=SWEEP_AXES[result.across].label,
        small=value(first, result.across),
        large=value(result.worse, result.across),
        tuned=NAMES[result.tuned],
        good=value(first, result.tuned),
        value=value(result.worse, result.tuned),
    )
