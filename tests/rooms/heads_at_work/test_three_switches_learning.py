"""Mask, positions and depth on one sentence: what each is for, whatever the seed."""

import numpy as np
import pytest

from core.data.synthetic import referents
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.experiments.three_switches import VARIANTS, Options
from core.train import experiment
from core.train.device import one_thread
from core.train.experiments.naming import Namer
from tests.counts import SEEDS
from tests.library.learning.once import trained


def accuracy(record: dict[str, np.ndarray], variant: str) -> float:
    return float(record[f"curve.{variant}.accuracy"][-1])


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_only_the_whole_model_names_it(seed: int) -> None:
    record = trained("three-switches", seed)
    assert accuracy(record, "full") > 0.99
    # Each held-out sentence has a twin that looks the same to these two and has the other answer.
    assert accuracy(record, "causal") <= 0.5
    assert accuracy(record, "no_positions") <= 0.5


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_a_head_of_the_second_layer_turns_to_the_right_noun(seed: int) -> None:
    record = trained("three-switches", seed)
    held = referents.split(seed)[1]
    looks = naming.pointing(experiment.rebuild(record, "full", VARIANTS["full"]), held)
    assert looks.best[0] == 1
    assert looks.right[looks.best] > 0.9 and looks.other[looks.best] < 0.1


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_both_readings_are_one_to_the_causal_model(seed: int) -> None:
    model = experiment.rebuild(trained("three-switches", seed), "causal", VARIANTS["causal"])
    for sentence in referents.split(seed)[1][::2]:  # full; the next one is its twin
        other = type(sentence)(sentence.first, sentence.second, "empty")
        one, two = naming.name_it(model, sentence), naming.name_it(model, other)
        np.testing.assert_array_equal(one.rows, two.rows)
        np.testing.assert_array_equal(one.nouns, two.nouns)


@pytest.mark.full
def test_a_single_layer_is_a_matter_of_luck() -> None:
    ends = []
    for seed in (0, 3):
        with one_thread():
            namer = Namer(VARIANTS["one_layer"], seed, seed, Options().n_step)
            while namer.trainer.step < namer.trainer.n_step:
                namer.advance()
        ends.append(namer.accuracies[-1])
    assert ends[0] < 0.6 and ends[1] > 0.9
