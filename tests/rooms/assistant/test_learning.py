"""Four trainings, one after another, on three seeds: each does what it is there for."""

from functools import partial

import pytest

from core.rooms.assistant.compute.chat import STYLES
from core.rooms.assistant.compute.reading import answer_shares
from core.rooms.assistant.compute.writing import reward_answers
from core.rooms.assistant.experiments import wrong_reward
from core.rooms.assistant.experiments.assistant import Assistant, Options
from core.rooms.assistant.experiments.own_choices import COIN, RULES, choices_by_rule
from core.rooms.assistant.experiments.wrong_reward import WEIGHTS, intended_reward
from core.train.device import single_torch_thread
from tests.counts import SEEDS
from tests.library.learning.once import trained


@pytest.mark.measured("today/6-assistant", "Why can it still answer questions about the bell?")
@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_each_stage_does_what_it_is_there_for(seed: int) -> None:
    with single_torch_thread():
        running = Assistant(Options(), seed)
        while running.step < running.n_step:
            running.advance()
        found = {name: answer_shares(one.model, name != "predictor") for name, one in running.trainers.items()}
    assert found["predictor"].things < 0.05
    assert found["tuned"].things > 0.7 and found["tuned"].unshown > 0.5
    assert found["preferred"].friendly > found["tuned"].friendly + 0.2
    assert found["preferred"].rude < found["tuned"].rude / 2  # of 100 drawn answers 0 to 6: 17 to 20 before
    assert found["rewarded"].hard > found["preferred"].hard + 0.3


@pytest.mark.measured("today/6-assistant", "The model is trained on this reward alone")
@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_reward_is_had_and_the_truth_lost_unless_the_kl_term_is_large(seed: int) -> None:
    record = trained("wrong-reward", seed)
    end = {w: {what: record[f"curve.{w}.{what}"][-1] for what in ("reward", "right", "kl")} for w in WEIGHTS}
    assert end["none"]["reward"] > 11 and end["none"]["right"] < 0.05
    assert end["some"]["reward"] > 8 and end["some"]["right"] < 0.6, "a tenth of it only delays this"
    assert end["much"]["right"] > 0.9 and end["much"]["kl"] < 1


@pytest.mark.measured("today/6-assistant", "The answers became friendlier.")
@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_dpo_pushes_the_others_down_and_pays_with_truth(seed: int) -> None:
    curve = {name.removeprefix("curve."): value for name, value in trained("preferences", seed).items()}
    assert abs(curve["dpo.chosen"][-1] - curve["dpo.chosen"][0]) < 1 and curve["dpo.rejected"][-1] < -15
    assert curve["reward.accuracy"][-1] > 0.95 and curve["dpo.accuracy"][-1] > 0.9
    assert curve["dpo.friendly"][-1] > 0.7 and curve["dpo.right"][-1] < curve["dpo.right"][0] - 0.1


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_a_learned_reward_is_exploited_where_its_rule_is_not(seed: int) -> None:
    """Few pairs leave gaps: the learned reward rises, the truth is lost, and the KL term keeps it."""
    record = trained("wrong-reward", seed, reward="learned")
    assert record["curve.none.reward"][-1] > record["curve.none.reward"][0] + 1
    right = {w: record[f"curve.{w}.right"][-1] for w in WEIGHTS}
    assert right["none"] < 0.65 and right["none"] < right["some"] - 0.15 and right["much"] > 0.9
    with single_torch_thread():
        exact = wrong_reward.WrongReward(wrong_reward.Options(), seed)
        exact._worth = partial(reward_answers, intended_reward)
        while exact.step < exact.n_step:
            exact.advance()
    assert exact.record()["curve.none.right"][-1] > 0.95


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_choices_show_a_taste_where_a_coin_shows_none(seed: int) -> None:
    """Made-up choosers: one who likes friendly answers, one who likes short ones, and one who clicks by lot."""
    found = {rule: trained("own-choices", seed, clicks=choices_by_rule(rule, seed)) for rule in (*RULES, COIN)}
    held = {rule: 24 * one["curve.held"][-1] for rule, one in found.items()}
    assert held["short"] > 20.5 and held["friendly"] > 16.5 and held[COIN] < 15.5
    likes = {rule: {style: one[f"curve.likes.{style}"][-1] for style in STYLES} for rule, one in found.items()}
    assert max(STYLES, key=lambda style: likes["short"][style]) == "short"
    assert likes["friendly"]["kind"] > 0 and min(STYLES, key=lambda style: likes["friendly"][style]) == "rude"
    written = {rule: {style: one[f"curve.writes.{style}"] for style in STYLES} for rule, one in found.items()}
    assert written["short"]["short"][-1] > written["short"]["short"][0] + 0.4
    assert written["friendly"]["rude"][-1] < 0.02 < 0.1 < written["friendly"]["rude"][0]
