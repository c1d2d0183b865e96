"""What the room of the next token promises happens on the shipped model."""

from typing import Any

import numpy as np
import pytest

from core.data.sentences import SENTENCES
from core.generate.filter_settings import FilterSettings
from core.inspect.model_inputs.model_and_text import ModelAndText, load_model_and_text
from core.inspect.model_inputs.predicted_position import text_next_logits
from core.rooms.next_token import each_token, what_comes_next, write


def written(given: ModelAndText | None = None, **inputs: Any) -> Any:
    return write.compute(write.Inputs(given=given or load_model_and_text("stories", "Anna had a"), **inputs)).new


def test_a_wrong_word_costs_what_is_said_and_nothing_before_it_changes() -> None:
    right, wrong = (
        load_model_and_text("stories", SENTENCES["stories"].replace("box", word)) for word in ("box", "kite")
    )
    before, after = (each_token.compute(each_token.Inputs(given=given)).losses.loss for given in (right, wrong))
    place = wrong.tokens.index(" kite")
    assert before[place] == pytest.approx(1.0, abs=0.05)
    assert after[place] == pytest.approx(14.75, abs=0.1)  # "almost 15"
    np.testing.assert_array_equal(before[1:place], after[1:place])
    assert (np.abs(after - before)[place + 1 :] > 0.1).sum() >= 3


def test_it_opens_where_the_sliders_have_something_to_move() -> None:
    inputs = what_comes_next.Inputs()
    assert inputs.given.tokens[: inputs.place] == ("Tom", " and")
    logits = what_comes_next.compute(inputs).logits
    plain, cold, hot = (FilterSettings(temperature=t).probabilities(logits).max() for t in (1.0, 0.3, 2.0))
    assert hot + 0.1 < plain < 0.4 < cold - 0.4
    sure = what_comes_next.compute(what_comes_next.Inputs(place=inputs.given.n_token)).logits
    top_p = FilterSettings(top_p=0.9)
    assert [(top_p.probabilities(one) > 0).sum() for one in (logits, sure)] == [10, 1]


def test_the_seed_decides_and_fewer_steps_are_the_same_beginning() -> None:
    long, short, other = (written(temperature=2.0, seed=seed, written=n) for seed, n in ((5, 40), (5, 15), (6, 40)))
    np.testing.assert_array_equal(long.tokens[:15], short.tokens)
    np.testing.assert_array_equal(long.draws[:15], short.draws)
    assert (long.tokens != other.tokens).any()


def test_the_number_drawn_lies_in_the_interval_of_its_token() -> None:
    inputs: dict[str, Any] = {"temperature": 1.5, "top_k": 20, "seed": 1}
    new = written(**inputs, written=20)
    for token, number, probability, line in zip(new.tokens, new.draws, new.probabilities, new.lines, strict=True):
        place = line.tokens.tolist().index(token)
        assert line.low[place] - 1e-6 <= number <= line.high[place] + 1e-6
        assert probability == pytest.approx(line.high[place] - line.low[place], rel=1e-5)


def test_it_opens_with_a_name_that_was_not_the_most_likely_one_and_then_with_words_that_are_sure() -> None:
    result = write.compute(write.Inputs())
    new, names = result.new, result.vocabulary
    assert [names[i] for i in (*result.given, *new.tokens[:5])] == [
        "Tom",
        " and",
        " Anna",
        " played",
        " near",
        " the",
        " old",
    ]
    line = new.lines[0]
    widths = line.high - line.low
    assert names[line.tokens[widths.argmax()]] == " Mia"
    assert widths.max() == pytest.approx(0.30, abs=0.01)
    assert new.probabilities[0] == pytest.approx(0.11, abs=0.01)
    assert (widths > 0.025).sum() == 12  # the names
    assert new.probabilities[1:4].min() > 0.99
    assert new.probabilities[4] < 0.2
    logits = text_next_logits(write.Inputs().given.key, ",".join(map(str, result.given)))
    p = np.exp(logits.astype(np.float64)) / np.exp(logits.astype(np.float64)).sum()
    assert names[int(np.searchsorted(p.cumsum(), new.draws[0]))] == " Anna"


def test_the_sample_text_is_continued_where_the_model_is_least_sure_and_a_users_text_from_its_end() -> None:
    own, users = write.Inputs().given, load_model_and_text("stories", "Anna had a")
    entropy = each_token.compute(each_token.Inputs(given=own)).losses.entropy
    assert write.n_given_token(own) == np.nanargmax(entropy) < own.n_token
    assert write.n_given_token(users) == users.n_token
    assert (write.compute(write.Inputs()).is_cut, write.compute(write.Inputs(given=users)).is_cut) == (True, False)


def test_another_seed_writes_another_text_and_temperature_0_draws_nothing() -> None:
    first, second = (
        written(load_model_and_text("stories", SENTENCES["stories"]), seed=seed, written=60).tokens for seed in (0, 1)
    )
    assert (first != second).any()
    first, second = (written(temperature=0.0, seed=seed) for seed in (0, 1))
    np.testing.assert_array_equal(first.tokens, second.tokens)
    assert np.isnan(first.draws).all()


def test_the_logits_of_all_places_in_one_pass_are_those_of_each_alone() -> None:
    inputs = what_comes_next.Inputs()
    for place in (1, 2, inputs.given.n_token):
        alone = text_next_logits(inputs.given.key, ",".join(map(str, inputs.given.ids[:place])))
        found = what_comes_next.compute(what_comes_next.Inputs(place=place)).logits
        np.testing.assert_allclose(found, alone, atol=1e-4)


def test_a_bold_temperature_draws_tokens_that_were_unlikely() -> None:
    given = load_model_and_text("stories", SENTENCES["stories"])
    plain, bold = (written(given, temperature=t).probabilities for t in (1.0, 2.5))
    assert -np.log(bold).mean() > 2 * -np.log(plain).mean()
    assert (plain < 0.05).sum() == 0 < (bold < 0.05).sum()
