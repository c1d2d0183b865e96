"""What the room of n-grams says under “Try this” happens with the text that it opens with."""

import math

import numpy as np
import pytest

from core.data import corpora
from core.rooms.ngrams import choice, counts, markov, orders
from core.rooms.ngrams.choice import DEFAULT, MAX_ORDER, SMOOTHINGS, Chosen
from core.rooms.ngrams.compute import ngram_tables

CUT = "word"
STRENGTH_AND_DISCOUNT = (4, 0.75)


def test_most_cells_are_empty_and_a_token_always_goes_on_in_the_same_way() -> None:
    table = counts.table(DEFAULT, CUT, 20, counts.PAIRS)
    assert (table.counts == 0).mean() > 0.5
    assert ((table.counts > 0).sum(1)[table.others == 0] == 1).any()


def test_every_row_sums_to_one_with_the_others() -> None:
    table = counts.table(DEFAULT, CUT, 40, counts.PAIRS)
    assert np.allclose(table.probabilities.sum(1) + table.others / table.totals, 1)


def test_after_two_tokens_the_next_is_more_certain() -> None:
    all_counts, read = choice.counts(DEFAULT, CUT), choice.reading(DEFAULT, CUT)
    surprise = [-all_counts.model(order, "mle").log_probs(read.train).mean() for order in (2, 3)]
    assert surprise[1] < surprise[0]
    for first in ngram_tables.most_common(all_counts, 40).tolist():
        assert counts.table(DEFAULT, CUT, 20, first).counts.size


def test_on_the_text_it_has_counted_every_further_token_helps_and_the_gap_grows() -> None:
    one = orders.losses_of(DEFAULT, CUT, "interpolated", 1.0)
    assert (np.diff(one.train) < 0).all()
    assert (np.diff(one.val) < 0).all()
    assert (np.diff(-np.diff(one.val)) < 0).all()  # less and less
    assert (np.diff(one.val - one.train)[1:] > 0).all()
    assert (np.diff(orders.never_seen(DEFAULT, CUT)) >= 0).all()
    assert orders.never_seen(DEFAULT, CUT)[-1] > 0.1


def test_without_smoothing_the_validation_text_is_impossible() -> None:
    one = orders.losses_of(DEFAULT, CUT, "mle", 1.0)
    assert np.isinf(one.val[1:]).all()
    assert np.isfinite(one.train).all()


@pytest.mark.parametrize("k", [0.1, 1.0])
def test_add_k_turns_up_again_and_worse_with_a_larger_k(k: float) -> None:
    val, train = (getattr(orders.losses_of(DEFAULT, CUT, "lidstone", k), part) for part in ("val", "train"))
    assert val.argmin() in (1, 2)
    assert train[5] > train[4] > train.min()
    assert val[5] > val[4] > val[3] > val.min()
    assert val[5] > orders.losses_of(DEFAULT, CUT, "lidstone", k / 10).val[5]


def test_the_better_a_text_reads_the_more_is_copied() -> None:
    _, samples = orders.samples_of(DEFAULT, CUT, "interpolated", 1.0, 0)
    lengths = [one.copied.length for one in samples]
    assert lengths == sorted(lengths)
    assert lengths[-1] >= 4 * lengths[0]
    losses = orders.losses_of(DEFAULT, CUT, "interpolated", 1.0)
    assert losses.val.argmin() == MAX_ORDER - 1


def test_copies_stand_in_the_training_text() -> None:
    read = choice.reading(DEFAULT, CUT)
    text = read.tokenizer.decode(read.train.tolist())
    for one in orders.samples_of(DEFAULT, CUT, "interpolated", 1.0, 0)[1]:
        copied = one.ids[one.copied.start : one.copied.start + one.copied.length]
        assert read.tokenizer.decode(copied) in text


def test_rows_are_alike_once_the_beginning_is_reached() -> None:
    text = markov.new_sentence(choice.reading(DEFAULT, CUT), CUT)
    chain = markov.chain_of(DEFAULT, CUT, "mle", 1.0, text)
    for t in range(MAX_ORDER - 1):
        assert (chain.p[t:, t] == chain.p[t, t]).all()
        assert (chain.n_context[t:, t] == t).all()


def test_great_courage_is_impossible_without_smoothing_and_unlikely_with_it() -> None:
    text = markov.SENTENCES["great courage"]
    assert (markov.chain_of(DEFAULT, CUT, "mle", 1.0, text).product == 0).all()
    assert (markov.chain_of(DEFAULT, CUT, "mle", 1.0, text).log_sum == -math.inf).all()
    for smoothing in ("lidstone", "interpolated", "kneser_ney"):
        chain = markov.chain_of(DEFAULT, CUT, smoothing, 0.1, text)
        assert (chain.p > 0).all()
        assert (chain.product < 1e-12).all()


@pytest.mark.parametrize("smoothing", ["interpolated", "kneser_ney", "lidstone"])
def test_a_thousand_factors_are_too_many_for_a_product(smoothing: str) -> None:
    long = markov.long_product(DEFAULT, CUT, smoothing, 0.1)
    assert long is not None
    assert long.n_factor == 1_000
    assert long.product == 0
    assert long.zero_after is not None
    assert math.isfinite(long.log_sum)


def test_the_lectures_sentence_of_bottle_and_cup_is_known_to_its_text() -> None:
    read = choice.reading("bottle-and-cup", CUT)
    for name in ("bottle and cup, full", "bottle and cup, empty"):
        ids = markov.encoded(read, markov.SENTENCES[name])
        assert read.tokenizer.unknown_id not in ids  # type: ignore[attr-defined]
        assert (markov.chain_of("bottle-and-cup", CUT, "kneser_ney", 1.0, markov.SENTENCES[name]).p > 0).all()


def test_the_details_name_the_constants_of_the_models() -> None:
    from core.rooms.ngrams import formatting

    for order in (2, 3):
        model = choice.model(Chosen(DEFAULT, CUT), order, "interpolated", 1.0)
        assert model.options["strength"] == formatting.STRENGTH == STRENGTH_AND_DISCOUNT[0]
        model = choice.model(Chosen(DEFAULT, CUT), order, "kneser_ney", 1.0)
        assert model.options["discount"] == formatting.DISCOUNT == STRENGTH_AND_DISCOUNT[1]


def test_rows_of_every_model_of_the_room_sum_to_one() -> None:
    read = choice.reading(DEFAULT, CUT)
    for smoothing in SMOOTHINGS:
        for order in range(1, MAX_ORDER + 1):
            row = choice.model(Chosen(DEFAULT, CUT), order, smoothing, 0.1).probabilities(read.train[:10])
            assert row.sum().item() == pytest.approx(1, abs=1e-12)


def test_what_is_used_of_a_long_text_is_told_right() -> None:
    read = choice.reading(DEFAULT, CUT)
    assert read.n_character == (choice.MAX_CHARACTERS, len(corpora.load(DEFAULT).text))
    assert (
        read.tokenizer.decode(np.concatenate([read.train, read.val]).tolist()) == corpora.load(DEFAULT).text[:300_000]
    )
