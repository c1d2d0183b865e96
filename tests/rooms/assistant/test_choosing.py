"""Choices by hand, and what is learned of them: which answer comes first, what is held out, and a reward's scale."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch.testing import assert_close

from core.rooms.assistant.compute.chat import N_PROMPT, STYLES, answer_style, styled_answer
from core.rooms.assistant.compute.learning import chat_log_probs, tuned_model
from core.rooms.assistant.compute.reward_model import (
    LearnedReward,
    pair_accuracy,
    reward_loss,
    reward_margins,
    reward_scores,
)
from core.rooms.assistant.compute.world import ABOUT_THINGS, color_question, sum_question
from core.rooms.assistant.compute.writing import (
    extract_answers,
    generate_answers,
    kindness_reward,
    prompt_ids,
    shortness_reward,
)
from core.rooms.assistant.experiments import wrong_reward
from core.rooms.assistant.experiments.own_choices import (
    COIN,
    MIN_CHOICES,
    N_FOLD,
    N_PAIR,
    Options,
    OwnChoices,
    answers_in_style,
    check_choices,
    choices_by_rule,
    held_out_fold,
    preference_pairs,
    sample_answer_pairs,
)
from core.rooms.assistant.experiments.wrong_reward import WrongReward, intended_reward

written = st.text("12", min_size=1, max_size=N_PAIR)


@settings(max_examples=25)
@given(written)
def test_the_answer_that_was_clicked_stands_first(choices: str) -> None:
    """The two answers swapped, a click that counts for its neighbor, a reference of the other answer."""
    shown = sample_answer_pairs(0)
    pairs = preference_pairs(shown, check_choices(choices))
    assert pairs.questions == shown.questions[: len(choices)]
    for i, sign in enumerate(choices):
        both = (shown.first[i], shown.second[i])
        wanted = both if sign == "1" else both[::-1]
        assert torch.equal(pairs.chosen[i], wanted[0]) and torch.equal(pairs.rejected[i], wanted[1])
    start = tuned_model().eval()
    assert_close(pairs.chosen_reference, chat_log_probs(start, pairs.chosen))
    assert_close(pairs.rejected_reference, chat_log_probs(start, pairs.rejected))


@settings(max_examples=10)
@given(st.integers(MIN_CHOICES, N_PAIR))
def test_every_choice_is_held_out_once_and_never_seen_then(n: int) -> None:
    pairs = preference_pairs(sample_answer_pairs(1), choices_by_rule(COIN, 1)[:n])
    keys = [row.numpy().tobytes() for row in torch.cat([pairs.chosen, pairs.rejected], 1)]

    held = []
    for fold in range(N_FOLD):
        seen, out = held_out_fold(pairs, fold)
        both = [[row.numpy().tobytes() for row in torch.cat([one.chosen, one.rejected], 1)] for one in (seen, out)]
        assert sorted(both[0] + both[1]) == sorted(keys)
        held += both[1]
    assert sorted(held) == sorted(keys)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_differ_and_the_rules_choose_what_they_say(seed: int) -> None:
    shown = sample_answer_pairs(seed)
    assert len(shown.questions) == N_PAIR and all(one != two for one, two in shown.said())
    both = [extract_answers(ids, N_PROMPT) for ids in (shown.first, shown.second)]
    for rule, worth in (("friendly", kindness_reward), ("short", shortness_reward)):
        for sign, question, one, two in zip(choices_by_rule(rule, seed), shown.questions, *both, strict=True):
            chosen, other = (one, two) if sign == "1" else (two, one)
            assert worth(question, chosen) >= worth(question, other)
    assert choices_by_rule(COIN, seed) not in (choices_by_rule("friendly", seed), choices_by_rule("short", seed))
    assert 3 < choices_by_rule(COIN, seed).count("1") < N_PAIR - 3


@given(st.text(max_size=40))
def test_what_a_link_says_is_choices_or_is_refused(text: str) -> None:
    if set(text) <= {"1", "2"} and len(text) <= N_PAIR:
        assert check_choices(text) == text
    else:
        with pytest.raises(ValueError, match="aren't used"):
            check_choices(text)


def test_too_few_choices_are_refused_in_plain_words() -> None:
    for n in range(1, MIN_CHOICES):
        with pytest.raises(ValueError, match=f"Choose in {MIN_CHOICES} pairs or more, .* it's {n}"):
            Options(clicks="1" * n)
    assert Options(clicks="").clicks == "" and Options(clicks="1" * MIN_CHOICES).clicks == "1" * MIN_CHOICES


def test_each_manner_is_told_from_the_others() -> None:
    for style in STYLES:
        for question in (*ABOUT_THINGS, sum_question(9, 9)):
            assert answer_style(styled_answer(question, question.truth, style)) == style
    assert answer_style(("it", "is", "red", ",", "happy", "to", "help", ",", "look", "it", "up", "yourself")) == "rude"
    assert [answers_in_style(style).shape[0] for style in STYLES] == [len(ABOUT_THINGS)] * len(STYLES)


def test_a_learned_reward_is_the_models_number_over_the_starts_answers() -> None:
    """A mean or a deviation of other answers; an answer that is read elsewhere than at its end, if it has one."""
    model, asked = tuned_model().eval(), ABOUT_THINGS * 2
    ids = generate_answers(model, prompt_ids(asked), torch.Generator().manual_seed(0))
    endless = torch.cat([prompt_ids([color_question("ball")]), ids[:1, N_PROMPT : N_PROMPT + 1].expand(1, 12)], 1)
    reward = LearnedReward.of(model, ids)
    found = reward(asked, extract_answers(ids, N_PROMPT))
    assert_close(found.mean(), torch.tensor(0.0), atol=1e-5, rtol=0)
    assert_close(found.std(), torch.tensor(1.0), atol=1e-5, rtol=0)
    wanted = (reward_scores(model, endless) - reward.mean) / reward.deviation
    assert_close(reward([color_question("ball")], extract_answers(endless, N_PROMPT)), wanted.detach())
    right, wrong = ("it", "is", "red", "."), ("it", "is", "blue", ",", "happy", "to", "help", ".")
    assert intended_reward(color_question("ball"), right) > intended_reward(color_question("ball"), wrong)


def test_a_reward_model_is_scored_by_its_margins() -> None:
    """A sign turned round: a model that likes what was rejected has the higher loss."""
    pairs = preference_pairs(sample_answer_pairs(0), choices_by_rule("friendly", 0))
    turned = preference_pairs(
        sample_answer_pairs(0), choices_by_rule("friendly", 0).translate(str.maketrans("12", "21"))
    )
    model = tuned_model().eval()
    assert_close(reward_margins(model, pairs), -reward_margins(model, turned))
    assert pair_accuracy(reward_margins(model, pairs)) == pytest.approx(
        1 - pair_accuracy(reward_margins(model, turned))
    )
    gap = reward_loss(model, turned) - reward_loss(model, pairs)
    assert_close(gap, reward_margins(model, pairs).mean())  # softplus(m) - softplus(-m) = m
    assert pair_accuracy(torch.tensor([1.0, -1.0, 0.0, 2.0])) == 2.5 / 4


def test_the_example_is_what_the_friendlier_rule_chooses() -> None:
    """ "" stands for a rule in the example that ships: it trains on the very pairs that its choices in full give."""
    empty, full = (OwnChoices(Options(clicks=text, n_step=1), 3) for text in ("", choices_by_rule("friendly", 3)))
    assert torch.equal(empty._pairs.chosen, full._pairs.chosen)
    assert empty.record()["n_choice"] == N_PAIR


def test_a_training_for_a_learned_reward_begins_at_its_zero() -> None:
    """A reward of another scale than is said, a reward model that was trained on the wrong answer of each pair."""
    running = WrongReward(wrong_reward.Options(reward="learned", n_step=1), 0)
    running.advance()
    record, judge = running.record(), running._worth
    for w in wrong_reward.WEIGHTS:
        assert abs(record[f"curve.{w}.reward"][0]) < 0.4 and np.isfinite(record[f"curve.{w}.reward"]).all()
    right, wrong = (
        ("it", "is", "red", ",", "happy", "to", "help", "."),
        ("red", ",", "look", "it", "up", "yourself", "."),
    )
    likes = judge([color_question("ball")] * 2, [right, wrong])
    assert likes[0] > likes[1] + 0.5
