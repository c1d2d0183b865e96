"""The tiny language is learned, whatever the seed, and misleads greedy search as it is made to."""

import pytest

from core.rooms.beam import truth
from core.rooms.beam.experiments import beam_truth as task
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.counts import SEEDS
from tests.library.learning.once import trained


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_language_is_learned_and_three_beams_find_what_greed_misses(seed: int) -> None:
    run = ExperimentRun(trained(truth.EXPERIMENT, seed), {}, seed, 400, 400)
    losses = run.record[f"curve.{task.VARIANT}.loss"]
    assert losses[0] > task.language_entropy() + 3
    assert task.language_entropy() < losses[-1] < task.language_entropy() + 0.05  # nats per sentence
    result = truth.compute(truth.Inputs(), run)
    for sentence, p in task.grammar_sentences().items():
        place = truth.enumeration.find_text(result.texts, sentence)
        assert result.probability(place) == pytest.approx(p, abs=0.06)
    assert result.words(result.best) == "a cat sleeps ."
    assert result.rank(result.greedy) > 5
    assert result.first == 3
