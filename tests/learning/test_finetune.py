"""With few labels, fine-tuning what was pre-trained beats scratch; entities are found by their company."""

import numpy as np
import pytest

from core.train import experiment
from core.train.experiments.finetune import SIZES
from tests.learning.once import trained


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pretraining_is_worth_ten_points_at_twenty_labels(seed: int) -> None:
    record, seconds = trained("finetune", seed)
    held = {way: record[f"fine.{way}.held"][-1] for way in ("scratch", "frozen", "full")}
    few = [SIZES.index(n) for n in (20, 50, 100)]
    assert (held["full"][few] > held["scratch"][few] + 0.1).all()
    assert held["frozen"][SIZES.index(20)] > held["scratch"][SIZES.index(20)] + 0.1
    assert held["full"][-1] > 0.97 > 0.93 > held["scratch"][-1]
    # Overfitting: from scratch all twenty of its own reviews are known, and new ones are little better than guesses.
    assert record["fine.scratch.own"][-1, SIZES.index(20)] == 1 and held["scratch"][SIZES.index(20)] < 0.7
    assert record["curve.sides"][0] < 0.6 < 0.85 < record["curve.sides"][-1]
    assert sum(array.nbytes for array in record.values()) < 500_000
    assert seconds < 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_entities(seed: int) -> None:
    record, seconds = trained("entities", seed)
    assert record["curve.f1"][-1] > 0.95 > 0.5 > record["list.f1"]
    assert seconds < 8
    total = record["confusion"].sum()
    assert record["list.confusion"].sum() == total and np.trace(record["confusion"]) > 0.98 * total


@pytest.mark.slow
def test_without_enough_pretraining_there_is_no_head_start() -> None:
    record, _ = trained("finetune", 0, n_step=110)
    at = SIZES.index(20)
    assert record["curve.sides"][-1] < 0.6
    assert record["fine.full.held"][-1, at] < record["fine.scratch.held"][-1, at] + 0.05


@pytest.mark.parametrize(
    ("name", "values"),
    [("finetune", {"n_step": 0}), ("finetune", {"n_step": 1_201}), ("entities", {"n_layer": 3})],
)
def test_wrong_options_are_refused_in_plain_words(name: str, values: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"steps|layers"):
        experiment.options_of(name, values)
