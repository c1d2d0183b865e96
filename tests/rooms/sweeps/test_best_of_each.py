"""The best run of each size: which runs are compared, and what is said of the sweep that ships and of others."""

from pathlib import Path

import pytest

from core.jobs.sweeps.sweep_store import SweepStore
from core.rooms.sweeps import best_of_each
from core.rooms.sweeps.best_of_each import Inputs, compute
from core.rooms.sweeps.recorded_example import train_queued
from core.rooms.sweeps.space import SweepRequest, queue_sweep
from core.ui.training.choices_to_recipe import TrainingChoices

SHIPPED = compute(Inputs())
SIZES = {"n_layer": 1, "n_head": 2, "d_model": 16, "batch_size": 16}
TASK = SweepRequest(
    base=TrainingChoices(corpus="task:sort", positions="learned", n_step=40, **SIZES),
    values={"kind": ("gru", "t5"), "length": (2, 8)},
)
TEXT = SweepRequest(
    base=TrainingChoices(corpus="bottle-and-cup", tokenizer="word", d_model=8, n_head=1, n_layer=1, n_step=40),
    values={"optimizer": ("fast", "adamw"), "activation": ("relu", "gelu")},
)


def test_the_best_of_each_is_the_least_loss_of_its_column_after_every_number_of_steps() -> None:
    """Fault: the film shows the final winners from the start, or a column's best from another column."""
    widths = list(SHIPPED.whole.ticks["d_model"])
    for step, best in enumerate(SHIPPED.best):
        for width, i in zip(widths, best, strict=True):
            losses = [row.losses[step] for row in SHIPPED.whole.rows if row.point[1] == width]
            assert i is not None and SHIPPED.whole.rows[i].point[1] == width
            assert SHIPPED.whole.rows[i].losses[step] == min(loss for loss in losses if loss is not None)


def test_the_two_runs_of_the_recorded_sweep_are_as_said() -> None:
    """What the sentence and the labels say: 44 times the size at one other rate, yet worse; tuned, bigger wins."""
    rows, first, last = SHIPPED.whole.rows, SHIPPED.best[-1][0], SHIPPED.best[-1][-1]
    assert SHIPPED.worse is not None and first is not None and last is not None
    worse = rows[SHIPPED.worse]
    assert (SHIPPED.across, SHIPPED.tuned) == ("d_model", "learning_rate")
    assert worse.point == ("fast", 128, 0.003) and rows[last].point == ("fast", 128, 0.03)
    assert rows[last].loss < rows[first].loss < worse.loss  # type: ignore[operator]
    assert SHIPPED.times == worse.run.n_parameter / rows[first].run.n_parameter == pytest.approx(44.3, abs=0.1)
    assert SHIPPED.is_falling and SHIPPED.sizes == (9472, 31232, 111616, 419840)


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "across"), [(TASK, "length"), (TEXT, "optimizer")])
def test_other_sweeps_are_compared_without_sizes_that_do_not_grow(
    asked: SweepRequest, across: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: "the smallest model" where the columns hold models of any size, or before any run is done."""
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    sweep_id = queue_sweep(SweepStore(), "", asked, "Any", 20)
    before = compute(Inputs(sweep_id=sweep_id, phase="going on"))
    assert set(before.best[-1]) == {None} and before.worse is None and not before.is_falling
    train_queued(SweepStore())
    found = compute(Inputs(sweep_id=sweep_id))
    assert found.across == across and found.sizes == () and found.times is None
    losses = [found.whole.rows[i].loss for i in found.best[-1] if i is not None]
    assert len(losses) == 2 and min(losses) == found.whole.finished[0].loss
    low, high = best_of_each._scale(found.whole, found.best[-1])
    assert low == round(min(losses), 4) and high >= round(max(losses), 4)
