"""With few labels, fine-tuning what was pre-trained beats scratch; entities are found by their company."""

import numpy as np
import pytest

from core.rooms.encoder.experiments import finetune as task
from core.train import experiment
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained


def tuned(monkeypatch: pytest.MonkeyPatch, seed: int, sizes: tuple[int, ...], **options: int) -> experiment.Record:
    """The record with models for these numbers of labels alone, measured at the ends: each learns for itself, so they
    are the same ones."""
    for name, value in (("SIZES", sizes), ("N_LOOK", 1), ("N_FINE_LOOK", 1)):
        monkeypatch.setattr(task, name, value)
    return ran("finetune", seed, **options)


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_pretraining_is_worth_ten_points_at_twenty_labels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (20, 1_000)
    record = tuned(monkeypatch, seed, sizes) if seed else trained("finetune", 0)
    at = [(sizes if seed else task.SIZES).index(n) for n in sizes]
    held = {way: record[f"fine.{way}.held"][-1, at] for way in task.WAYS}
    assert held["full"][0] > held["scratch"][0] + 0.1
    assert held["frozen"][0] > held["scratch"][0] + 0.1
    assert held["full"][-1] > 0.97 > 0.93 > held["scratch"][-1]
    # Overfitting: from scratch all twenty of its own reviews are known, and new ones are little better than guesses.
    assert record["fine.scratch.own"][-1, at[0]] == 1 and held["scratch"][0] < 0.7
    assert record["curve.sides"][0] < 0.6 < 0.85 < record["curve.sides"][-1]
    assert sum(array.nbytes for array in record.values()) < 500_000


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_entities(seed: int) -> None:
    record = trained("entities", seed)
    assert record["curve.f1"][-1] > 0.95 > 0.5 > record["list.f1"]
    total = record["confusion"].sum()
    assert record["list.confusion"].sum() == total and np.trace(record["confusion"]) > 0.98 * total


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_next_sentence_is_learned_from_any_seed(seed: int) -> None:
    record = trained("next-sentence", seed)
    assert record["curve.accuracy"][-1] > 0.9 > record["curve.one_segment"][-1]
    assert record["curve.turned"][-1] < 0.3


@pytest.mark.full
def test_without_enough_pretraining_there_is_no_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    record = tuned(monkeypatch, 0, (20,), n_step=110)
    assert record["curve.sides"][-1] < 0.6
    assert record["fine.full.held"][-1, 0] < record["fine.scratch.held"][-1, 0] + 0.05
