"""A sweep on a task, from what is asked for to the share of wrong answers of each run."""

from pathlib import Path

import pytest

from core.jobs.store import RunStore
from core.jobs.sweeps.sweep_store import SweepStore
from core.rooms.sweeps.outcome import Inputs, SweepOutcome, compute
from core.rooms.sweeps.recorded_example import train_queued
from core.rooms.sweeps.space import SweepRequest, queue_sweep
from core.ui.training.choices_to_recipe import TrainingChoices

SIZES = {"n_layer": 1, "n_head": 2, "d_model": 16, "batch_size": 16}
REQUEST = SweepRequest(
    base=TrainingChoices(corpus="task:sort", positions="learned", n_step=80, **SIZES),
    values={"kind": ("gru", "t5"), "length": (2, 8)},
)


@pytest.mark.slow
def test_each_run_reads_its_own_questions_and_wrong_answers_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a loss in place of the share, a length that is not passed on, or a context that stays would change."""
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    sweep_id = queue_sweep(SweepStore(), "", REQUEST, "Sort", 20)
    train_queued(SweepStore())
    found = compute(Inputs(sweep_id=sweep_id))
    assert isinstance(found, SweepOutcome) and found.is_of_task and len(found.finished) == 4
    for row in found.rows:
        kind, length = row.point
        model, task = row.run.recipe["model"], row.run.recipe["task"]
        assert task == {"length": length} and {"gru": "rnn", "t5": "t5"}[str(kind)] == model.get("kind")
        assert model.get("context_length", 2 * int(length) + 2) == 2 * int(length) + 2
        (last,) = (one for one in RunStore().points(row.run.id) if one.step == 80)
        assert row.loss == pytest.approx(1 - last.right_share, abs=1e-9)
    assert any(row.loss < 1 for row in found.finished), "two letters are soon put in order"
    assert found.right == 1 - min(row.loss or 0.0 for row in found.rows)
    assert "share wrong after 80 steps" in found.table()
