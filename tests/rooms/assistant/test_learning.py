"""Four trainings, one after another, on three seeds: each does what it is there for."""

import pytest

from core.rooms.assistant.compute.reading import shares
from core.rooms.assistant.experiments.assistant import Assistant, Options
from core.rooms.assistant.experiments.wrong_reward import WEIGHTS
from core.train.device import one_thread
from tests.counts import SEEDS
from tests.library.learning.once import trained


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_each_stage_does_what_it_is_there_for(seed: int) -> None:
    with one_thread():
        running = Assistant(Options(), seed)
        while running.step < running.n_step:
            running.advance()
        found = {name: shares(one.model, name != "predictor") for name, one in running.trainers.items()}
    assert found["predictor"].things < 0.05
    assert found["tuned"].things > 0.7 and found["tuned"].unshown > 0.5
    assert found["preferred"].friendly > found["tuned"].friendly + 0.2 and found["preferred"].rude < 0.05
    assert found["rewarded"].hard > found["preferred"].hard + 0.3


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_reward_is_had_and_the_truth_lost_unless_the_kl_term_is_large(seed: int) -> None:
    record = trained("wrong-reward", seed)
    end = {w: {what: record[f"curve.{w}.{what}"][-1] for what in ("reward", "right", "kl")} for w in WEIGHTS}
    assert end["none"]["reward"] > 11 and end["none"]["right"] < 0.05
    assert end["some"]["reward"] > 8 and end["some"]["right"] < 0.6, "a tenth of it only delays this"
    assert end["much"]["right"] > 0.9 and end["much"]["kl"] < 1


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_dpo_pushes_the_others_down_and_pays_with_truth(seed: int) -> None:
    curve = {name.removeprefix("curve."): value for name, value in trained("preferences", seed).items()}
    assert abs(curve["dpo.chosen"][-1] - curve["dpo.chosen"][0]) < 1 and curve["dpo.rejected"][-1] < -15
    assert curve["reward.accuracy"][-1] > 0.95 and curve["dpo.accuracy"][-1] > 0.9
    assert curve["dpo.friendly"][-1] > 0.7 and curve["dpo.right"][-1] < curve["dpo.right"][0] - 0.1
