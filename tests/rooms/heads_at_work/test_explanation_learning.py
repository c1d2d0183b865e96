"""Equal accuracy, other maps; and the weight of a head does not tell what it does."""

import numpy as np
import pytest

from core.data.synthetic import BottleAndCup, referents
from core.rooms.heads_at_work.compute import naming, rank_agreement
from core.rooms.heads_at_work.experiments.explanation import MODELS, config
from core.train import experiment
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained


def weighed(record: experiment.Record, name: str, n_head: int, seed: int) -> naming.Weighed:
    return naming.weigh(experiment.rebuild(record, name, config(n_head)), referents.split(seed)[1])


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_all_three_models_learn_it(seed: int) -> None:
    assert [trained("explanation", seed)[f"curve.{name}.accuracy"][-1] for name in MODELS] == [1, 1, 1]


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_layers_look_elsewhere_and_the_second_ones_agree(seed: int) -> None:
    sentence = BottleAndCup("bottle", "cup", "full")
    models = [experiment.rebuild(trained("explanation", seed), name, config(4)) for name in MODELS]
    found = [naming.name_it(model, sentence).rows.mean(1) for model in models]
    apart = [
        np.mean([rank_agreement.total_variation(found[i][layer], found[j][layer]) for i, j in ((0, 1), (0, 2), (1, 2))])
        for layer in range(2)
    ]
    assert apart[0] > 0.25
    assert apart[1] < apart[0] - 0.1


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_weight_does_not_tell_the_effect_and_yet_the_layer_is_needed(seed: int) -> None:
    measured = [weighed(trained("explanation", seed), name, 4, seed) for name in MODELS]
    right = np.concatenate([one.right.ravel() for one in measured])
    rise = np.concatenate([one.rise.ravel() for one in measured])
    assert abs(rank_agreement.kendall(right, rise)) < 0.5
    strong = right > 0.9
    assert strong.sum() >= 6  # of 24
    assert rise[strong].max() < 0.1  # none of the heads that point is missed alone
    assert rise.max() > 1
    assert int(rise.argmax()) % 8 < 4  # the one that is missed stands in layer 0
    assert all(one.accuracy_without_layer[1] < 0.5 for one in measured)


@pytest.mark.full
def test_a_head_without_a_twin_is_missed() -> None:
    record = ran("explanation", 0, n_head=1)
    for name in MODELS:
        one = weighed(record, name, 1, 0)
        assert one.right[1, 0] > 0.8
        assert one.rise[1, 0] > 1


def test_the_models_differ_and_share_their_task() -> None:
    running = experiment.start("explanation", {"n_step": 1}, 2)
    record = running.record()
    assert not np.array_equal(record["model.a.tok_emb.weight"], record["model.b.tok_emb.weight"])
    held = {tuple(sorted((s.first, s.second))) for s in referents.split(2)[1]}
    assert len(held) == 7
