"""The tiny language is learned, whatever the seed, and misleads greedy search as it is made to."""

from typing import Any

import numpy as np
import pytest

from core.rooms.beam import truth
from core.rooms.beam.experiments import beam_truth as task
from core.train import experiment
from core.train.experiments.live import Live
from tests.counts import SEEDS
from tests.library.learning.once import trained


def learned(seed: int) -> Live:
    return Live(trained(truth.EXPERIMENT, seed), {}, seed, 400, 400)


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_language_is_learned(seed: int) -> None:
    run = learned(seed)
    losses = run.record[f"curve.{task.VARIANT}.loss"]
    assert losses[0] > task.floor() + 3
    assert task.floor() < losses[-1] < task.floor() + 0.05  # nats per sentence
    result = truth.compute(truth.Inputs(), run)
    for sentence, p in task.sentences().items():
        place = truth.enumeration.place_of(result.texts, sentence)
        assert result.probability(place) == pytest.approx(p, abs=0.06)


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_greed_is_misled_and_three_beams_find_the_best(seed: int) -> None:
    result = truth.compute(truth.Inputs(), learned(seed))
    assert result.words(result.best) == "a cat sleeps ."
    assert result.rank(result.greedy) > 5
    assert result.first == 3


def test_the_largest_record_is_small() -> None:
    running: Any = experiment.start(truth.EXPERIMENT, {"n_step": 1_000}, 0)
    assert sum(np.asarray(array).nbytes for array in running.record().values()) < 200_000
