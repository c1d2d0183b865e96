"""Counts behind a cell, what nets expect, one evaluation slice, an honest split."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from core.data.padding_and_splits import _half_windows
from core.models import registry
from core.models.ngram import NGram
from core.rooms.ledger.compute import ledger as computing, next_noun
from core.rooms.ledger.experiments import budget, ledger as water
from tests.library.learning.once import ran


@pytest.fixture(scope="module")
def text() -> water.LedgerText:
    return water.bottle_text(0)


@pytest.mark.parametrize("seed", range(4))
def test_held_out_nouns_never_meet_and_all_are_the_answer_equally_often(seed: int) -> None:
    train, held = water.split_sentences(seed)
    assert (len(train), len(held)) == (80, 32)
    together = {frozenset((one.first, one.second)) for one in train}
    assert not together & {frozenset((one.first, one.second)) for one in held}
    assert set(Counter(one.referent for one in train).values()) == {10}
    assert ("bottle", "cup") in {(one.first, one.second) for one in held}
    given = water.bottle_text(seed)
    assert given.lines.shape == (80, 21) and given.held.shape == (32, 21)
    assert given.tokenizer.unknown_id not in given.held


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_the_last_noun_costs_an_ngram_ln_8(text: water.LedgerText, order: int) -> None:
    for smoothing, tolerance in (("mle", 1e-12), ("interpolated", {2: 0.11, 3: 0.03, 4: 0.01, 5: 0.005}[order])):
        model = NGram(order, text.tokenizer.vocab_size, smoothing).fit(text.ids)  # type: ignore[arg-type]
        for row in text.held:
            assert -np.log(computing.look_up_counts(model, row).p[water.ANSWER_POSITION]) == pytest.approx(
                np.log(8), abs=tolerance
            )


@pytest.mark.parametrize("smoothing", ["mle", "laplace", "interpolated"])
@pytest.mark.parametrize("order", [1, 3, 5])
def test_the_counts_of_a_cell_are_those_of_the_text_and_give_its_probability(
    text: water.LedgerText, smoothing: str, order: int
) -> None:
    size = text.tokenizer.vocab_size
    model = NGram(order, size, smoothing).fit(text.ids)  # type: ignore[arg-type]
    row = text.held[3].copy()
    row[12] = text.tokenizer.unknown_id
    found = computing.look_up_counts(model, row)
    ids = text.ids.tolist()
    for t in range(len(row) - 1):
        context = row[t + 1 - found.context[t] : t + 1].tolist()
        after = [ids[i + len(context)] for i in range(len(ids) - len(context)) if ids[i : i + len(context)] == context]
        assert (found.count[t], found.total[t]) == (after.count(row[t + 1]), len(after))
        assert found.types[t] == len(set(after))
        count, total, types, lower = (getattr(found, name)[t] for name in ("count", "total", "types", "lower"))
        expected = {
            "mle": count / max(total, 1),
            "laplace": (count + 1) / (total + size),
            "interpolated": (count + 4 * types * lower) / max(total + 4 * types, 1),
        }[smoothing]
        assert found.p[t] == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(found.p, model.log_probs(row).exp().numpy()[1:])


@pytest.mark.parametrize("net", ["gru", "gpt"])
def test_a_net_is_read_at_the_place_before_each_token(text: water.LedgerText, net: str) -> None:
    model = registry.build(water.config(net, text.tokenizer.vocab_size), 1).eval().requires_grad_(False)
    row = text.held[0]
    found = computing.predict_sentence(model, row)
    chances = model(torch.tensor(row[None, :-1]))[0].double().softmax(-1).numpy()
    np.testing.assert_allclose(found.p, chances[np.arange(20), row[1:]])
    np.testing.assert_array_equal(found.top[:, 0], chances.argmax(-1))
    assert (np.diff(found.top_p, axis=1) <= 0).all()
    assert (found.weights is None) == (net == "gru")
    if found.weights is not None:
        np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-5)
        assert not np.triu(found.weights, 1).any()
    assert computing.net_nats(model, torch.tensor(row[None])) == pytest.approx(-np.log(found.p).mean(), abs=1e-5)


def test_every_judged_token_has_half_a_window_before_it_and_is_judged_once() -> None:
    ids = np.arange(100, 163)
    windows, places = _half_windows(ids, 8, 100)
    assert len(np.unique(places)) == places.size
    np.testing.assert_array_equal(windows[:, 5:], ids[places])
    assert places.min() == 5 and places.max() <= 62
    for length, n in ((7, 63), (8, 8)):
        with pytest.raises(ValueError, match=r"halves|less than"):
            _half_windows(ids[:n], length, 1)


def test_an_impossible_token_costs_infinitely_much(text: water.LedgerText) -> None:
    model = NGram(5, text.tokenizer.vocab_size, "mle").fit(text.ids)
    assert computing.ngram_nats(model, text.held) == np.inf
    smooth = NGram(5, text.tokenizer.vocab_size, "interpolated").fit(text.ids)
    assert computing.ngram_nats(smooth, text.held) < 1
    assert computing.ngram_nats(smooth, text.ids, np.arange(5, 50)) < 1


def test_the_tables_of_a_long_ngram_hold_those_of_all_shorter_ones() -> None:
    given = budget.budget_text("stories")
    bits = budget.ngram_bits(given, 10_000)
    for order, found in zip(budget.ORDERS, bits, strict=True):
        model = NGram(order, given.tokenizer.vocab_size, "interpolated").fit(given.ids[:10_000])
        expected = -model.log_probs(given.held).numpy()[given.places].mean() / math.log(2)
        assert found == pytest.approx(expected, rel=1e-6)


def test_the_seconds_are_measured() -> None:
    record = ran("budget", 3, shares="10k", n_step=2)
    assert all((record[f"seconds.10k.{who}"] >= 0).all() for who in ("gru", "gpt", "ngram"))
    assert record["seconds.10k.gpt"][-1] > 0


def test_the_next_noun_is_what_the_whole_ledger_expects_there(text: water.LedgerText) -> None:
    ngram = NGram(5, text.tokenizer.vocab_size, "interpolated").fit(text.ids)
    nets = {net: registry.build(water.config(net, text.tokenizer.vocab_size), 1) for net in ("gru", "gpt")}
    row = text.held[0]
    before, noun = row[: water.ANSWER_POSITION + 1], int(row[water.ANSWER_POSITION + 1])
    found = next_noun.predict_next_noun(ngram, nets, before, [noun])
    assert found.p["ngram"][0] == pytest.approx(computing.look_up_counts(ngram, row).p[water.ANSWER_POSITION])
    for name, net in nets.items():
        guesses = computing.predict_sentence(net, row)
        assert found.p[name][0] == pytest.approx(guesses.p[water.ANSWER_POSITION], abs=1e-6)
        if guesses.weights is not None:
            rows = guesses.weights[:, :, water.ANSWER_POSITION, : len(before)]
            np.testing.assert_allclose(found.weights, rows.max((0, 1)), atol=1e-6)
