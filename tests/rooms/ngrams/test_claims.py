"""What the room of n-grams says under “Try this” happens with the text that it opens with."""

import math
from typing import Any

import numpy as np
import pytest

from core.data import corpora
from core.rooms.ngrams import counts, inputs, markov, orders
from core.rooms.ngrams.compute import counting
from core.rooms.ngrams.inputs import MAX_ORDER, SMOOTHING_NAMES, CountedText
from core.rooms.ngrams.orders import cached_order_losses

STORIES = CountedText()


def table(**given: Any) -> counts.PairTable:
    return counts.compute(counts.Inputs(**given))


def factors(sentence: str, **given: Any) -> Any:
    return markov.compute(markov.Inputs(sentence=sentence, **given)).factors


def test_most_cells_are_empty_a_token_always_goes_on_in_the_same_way_and_rows_sum_to_one() -> None:
    assert (table().counts == 0).mean() > 0.5
    assert ((table().counts > 0).sum(1)[table().others == 0] == 1).any()
    found = table(top=40)
    assert np.allclose(found.probabilities.sum(1) + found.others / found.totals, 1)


def test_after_two_tokens_the_next_is_more_certain() -> None:
    surprise = [-STORIES.counts.model(order, "mle").log_probs(STORIES.train).mean() for order in (2, 3)]
    assert surprise[1] < surprise[0]
    for first in counting.most_common_tokens(STORIES.counts, 40).tolist():
        assert table(first=first).counts.size


def test_on_the_text_it_has_counted_every_further_token_helps_and_the_gap_grows() -> None:
    found = orders.compute(orders.Inputs())
    one = found.chosen
    assert (np.diff(one.train) < 0).all()
    assert (np.diff(one.val) < 0).all()
    assert (np.diff(-np.diff(one.val)) < 0).all()  # less and less
    assert (np.diff(one.val - one.train)[1:] > 0).all()
    assert (np.diff(found.unseen) >= 0).all() and found.unseen[-1] > 0.1
    assert found.best == MAX_ORDER
    # Without smoothing the validation text is impossible.
    one = cached_order_losses(STORIES, "mle")
    assert np.isinf(one.val[1:]).all()
    assert np.isfinite(one.train).all()


@pytest.mark.parametrize("k", [0.1, 1.0])
def test_add_k_turns_up_again_and_worse_with_a_larger_k(k: float) -> None:
    val, train = (getattr(cached_order_losses(STORIES, "lidstone", k), part) for part in ("val", "train"))
    assert val.argmin() in (1, 2)
    assert train[5] > train[4] > train.min()
    assert val[5] > val[4] > val[3] > val.min()
    assert val[5] > cached_order_losses(STORIES, "lidstone", k / 10).val[5]


def test_the_better_a_text_reads_the_more_is_copied_from_the_training_text() -> None:
    text, samples = STORIES.tokenizer.decode(STORIES.train.tolist()), orders.compute(orders.Inputs()).samples
    lengths = [one.copied.length for one in samples]
    assert lengths == sorted(lengths) and lengths[-1] >= 4 * lengths[0]
    for one in samples:
        assert STORIES.tokenizer.decode(one.ids[one.copied.start : one.copied.start + one.copied.length]) in text


def test_rows_are_alike_once_the_beginning_is_reached() -> None:
    found = factors(markov.NEW_SENTENCE)
    for t in range(MAX_ORDER - 1):
        assert (found.p[t:, t] == found.p[t, t]).all()
        assert (found.n_context[t:, t] == t).all()


def test_great_courage_is_impossible_without_smoothing_and_unlikely_with_it() -> None:
    assert (factors("courage").product == 0).all()
    assert (factors("courage").log_sum == -math.inf).all()
    for smoothing in ("lidstone", "interpolated", "kneser_ney"):
        found = factors("courage", smoothing=smoothing)
        assert (found.p > 0).all() and (found.product < 1e-12).all()


@pytest.mark.parametrize("smoothing", ["interpolated", "kneser_ney", "lidstone"])
def test_a_thousand_factors_are_too_many_for_a_product(smoothing: str) -> None:
    found = markov.compute(markov.Inputs(smoothing=smoothing))
    long = found.long
    assert long is not None and found.n_factor == 1_000
    assert long.product == 0 and long.zero_after is not None
    assert math.isfinite(long.log_sum)


def test_the_lectures_sentence_is_known_to_its_text_and_models_have_the_constants_told() -> None:
    for name in ("full", "empty"):
        given = markov.Inputs(text=CountedText("bottle-and-cup"), smoothing="kneser_ney", sentence=name)
        found = markov.compute(given)
        assert found.n_unknown == 0 and (found.factors.p > 0).all()
    assert STORIES.model(2, "interpolated").options["strength"] == markov.STRENGTH == 4
    assert STORIES.model(3, "kneser_ney").options["discount"] == markov.DISCOUNT == 0.75
    for smoothing in SMOOTHING_NAMES:
        for order in range(1, MAX_ORDER + 1):
            row = STORIES.model(order, smoothing).probabilities(STORIES.train[:10])
            assert row.sum().item() == pytest.approx(1, abs=1e-12)


def test_what_is_used_of_a_long_text_is_told_right() -> None:
    whole = corpora.load("stories").text
    assert STORIES.n_character == (inputs.MAX_CHARACTERS, len(whole))
    assert STORIES.tokenizer.decode([*STORIES.train.tolist(), *STORIES.val.tolist()]) == whole[:300_000]


def test_words_come_first_and_punctuation_on_request() -> None:
    words, all_tokens = table(), table(signs=True)
    assert all(any(map(str.isalnum, name)) for name in (*words.row_names, *words.column_names))
    assert all_tokens.row_names[0] == "." and "." in all_tokens.column_names
    in_both = [name for name in all_tokens.row_names if name in words.row_names]
    assert in_both == list(words.row_names[: len(in_both)]) and len(in_both) < 20
    letters = table(text=CountedText(unit="char"))
    assert letters.row_names == table(text=CountedText(unit="char"), signs=True).row_names
