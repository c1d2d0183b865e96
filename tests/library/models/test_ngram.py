"""n-gram models: proper distributions, one truth in all of their methods, and no crash on the impossible."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.data import corpora, tokenizers
from core.data.synthetic import bottle_and_cup
from core.generate.decode import generate
from core.models.ngram import NGram

SMOOTHED = ("laplace", "lidstone", "kneser_ney", "interpolated")
V = 5
texts = st.lists(st.integers(0, V - 1), min_size=1, max_size=60)


@given(ids=texts, context=st.lists(st.integers(0, V - 1), max_size=6), order=st.integers(1, 5))
@settings(max_examples=60)
@pytest.mark.parametrize("smoothing", SMOOTHED)
def test_rows_sum_to_one(smoothing: str, ids: list[int], context: list[int], order: int) -> None:
    row = NGram(order, V, smoothing).fit(ids).probabilities(context)
    assert row.shape == (V,)
    assert row.min() >= 0
    assert row.sum().item() == pytest.approx(1, abs=1e-12)


@given(ids=texts, context=st.lists(st.integers(0, V - 1), max_size=6), order=st.integers(1, 5))
@settings(max_examples=60)
def test_mle_is_plain_counting(ids: list[int], context: list[int], order: int) -> None:
    row = NGram(order, V, "mle").fit(ids).probabilities(context)
    context = context[max(0, len(context) - order + 1) :]
    n = len(context)
    followers = Counter(ids[i + n] for i in range(len(ids) - n) if ids[i : i + n] == context)
    total = sum(followers.values())
    expected = [followers[w] / total if total else 0.0 for w in range(V)]
    assert row.tolist() == pytest.approx(expected, abs=1e-15)


@given(ids=texts, other=texts, order=st.integers(1, 5))
@settings(max_examples=40)
@pytest.mark.parametrize("smoothing", ["mle", *SMOOTHED])
def test_the_three_ways_to_ask_agree(smoothing: str, ids: list[int], other: list[int], order: int) -> None:
    model = NGram(order, V, smoothing).fit(ids)
    fast = model.log_probs(other).exp()
    logits = model.logits(torch.tensor([other, other[::-1]]))
    assert logits.shape == (2, len(other), V)
    for t, token in enumerate(other):
        expected = model.probabilities(other[:t])
        assert fast[t].item() == pytest.approx(expected[token].item(), abs=1e-14)
        after = model.probabilities(other[: t + 1])
        torch.testing.assert_close(logits[0, t].exp(), after, atol=1e-14, rtol=0)


def test_an_impossible_token_gives_infinite_perplexity() -> None:
    model = NGram(2, 3, "mle").fit([0, 1, 0, 1])
    assert model.perplexity([0, 1, 0]) == pytest.approx((2 * 1 * 1) ** (1 / 3))
    assert model.perplexity([0, 0]) == math.inf
    assert model.perplexity([2]) == math.inf
    assert model.probabilities([2]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("smoothing", ["mle", *SMOOTHED, "kneser_ney, uniform"])
def test_the_tokens_that_make_a_perplexity_infinite_can_be_asked_for(smoothing: str, order: int) -> None:
    kind, _, option = smoothing.partition(", ")
    model = NGram(order, 6, kind, **({"uniform": True} if option else {})).fit([0, 1, 2, 1, 0, 2, 2, 1])  # type: ignore[arg-type]
    for text in ([0, 1, 2], [0, 5, 1], [4, 4], [1, 2, 3, 1, 0, 5]):
        places = model.impossible(text).tolist()
        assert (model.perplexity(text) == math.inf) == bool(places)
        assert all(model.probabilities(text[:t])[text[t]] == 0 for t in places)
        if smoothing not in ("mle", "kneser_ney"):
            assert not places
        elif order == 2 and smoothing == "kneser_ney":
            assert places == [t for t, token in enumerate(text) if token > 2], "new tokens, wherever they are"


@pytest.mark.parametrize("order", [1, 3])
def test_a_uniform_text_has_the_perplexity_of_guessing(order: int) -> None:
    ids = np.random.default_rng(0).integers(0, 10, 20_000)
    model = NGram(order, 10, "interpolated").fit(ids[:18_000])
    assert model.perplexity(ids[18_000:]) == pytest.approx(10, rel=0.03)


def test_interpolation_by_hand() -> None:
    model = NGram(2, 2, "interpolated", strength=1.0).fit([0, 0, 1, 0])
    p0 = (3 + 2 * 1 / 2) / (4 + 2)  # tokens: 0 three times, 1 once; two types; uniform below
    assert model.probabilities([])[0].item() == pytest.approx(p0, abs=1e-15)
    p00 = (1 + 2 * p0) / (2 + 2)  # after 0: once 0, once 1
    assert model.probabilities([0])[0].item() == pytest.approx(p00, abs=1e-15)


few = st.lists(st.integers(0, 3), min_size=2, max_size=14)


@given(few, few, st.integers(1, 4), st.fractions(0, 1, max_denominator=8), st.booleans())
def test_kneser_neys_perplexity_is_that_of_exact_fractions(
    text: list[int], new: list[int], order: int, discount: Fraction, uniform: bool
) -> None:
    """The formula of Chen and Goodman, one token at a time. Infinite where, and only where, some p is exactly 0."""
    n_token = 5  # id 4 never occurs

    def c(gram: tuple[int, ...], is_highest: bool) -> int:
        places = [t for t in range(len(text)) if tuple(text[t : t + len(gram)]) == gram]
        return len(places) if is_highest else len({text[t - 1] for t in places if t > 0})

    def p(past: tuple[int, ...], token: int, n: int) -> Fraction:
        counts = [c((*past, w), n == order) for w in range(n_token)]
        lower = Fraction(1, n_token) if n == 1 else p(past[1:], token, n - 1)
        if not sum(counts):
            return lower
        d = discount if n > 1 or uniform else Fraction(0)
        return (max(counts[token] - d, 0) + d * sum(one > 0 for one in counts) * lower) / sum(counts)

    new = [*new, 4, 1]
    exact = [p(tuple(new[max(0, t - order + 1) : t]), w, min(t + 1, order)) for t, w in enumerate(new)]
    model = NGram(order, n_token, "kneser_ney", discount=float(discount), uniform=uniform).fit(text)
    assert model.log_probs(new).exp().tolist() == pytest.approx([float(one) for one in exact], abs=1e-12)
    perplexity = math.inf if min(exact) <= 0 else math.exp(-sum(math.log(one) for one in exact) / len(exact))
    assert model.perplexity(new) == pytest.approx(perplexity, rel=1e-9)
    assert model.impossible(new).tolist() == [t for t, one in enumerate(exact) if one == 0]
    if uniform and discount > 0:
        assert math.isfinite(perplexity)


def test_large_vocabularies_do_not_overflow() -> None:
    big = 200_000
    ids = np.random.default_rng(1).integers(0, big, 2000)
    model = NGram(5, big, "interpolated").fit(ids)
    assert model.log_probs(ids)[4:].exp().min() > 0.15  # five tokens in a row were seen once: mostly certain
    assert model.log_probs(ids[::-1].copy()).exp().max() < 0.01


def test_bottle_and_cup_is_beyond_counting() -> None:
    records = bottle_and_cup(4000, seed=0)
    text = "".join(record.text_with_answer + "\n" for record in records)
    tokenizer = tokenizers.train_tokenizer("word", text)
    ids = tokenizer.encode(text)
    train, val = corpora.split_validation(ids)
    answers = [i for i in range(2, len(val)) if tokenizer.tokens(val[i - 2 : i]) == [" is", " the"]]
    log_probs = NGram(5, tokenizer.vocab_size, "interpolated").fit(train).log_probs(val)
    assert len(answers) > 300
    assert -log_probs[answers].mean().item() == pytest.approx(math.log(8), abs=0.02)


def test_it_writes_on_like_any_model() -> None:
    model = NGram(3, 4, "mle").fit([0, 1, 2, 3] * 5)
    steps = generate(model, torch.tensor([[0, 1]]), 6, greedy=True)
    assert [int(step.token) for step in steps] == [2, 3, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: NGram(0, 5), "order=0"),
        (lambda: NGram(2, 0), "vocab_size=0"),
        (lambda: NGram(2, 5, "katz"), "katz"),
        (lambda: NGram(2, 5, "mle", gamma=1), "gamma"),
        (lambda: NGram(2, 5, "lidstone", gamma=-1), "gamma=-1"),
        (lambda: NGram(2, 5, "lidstone", gamma=math.nan), "gamma=nan"),
        (lambda: NGram(2, 5, "kneser_ney", discount=1.5), "discount=1.5"),
        (lambda: NGram(2, 5).probabilities([0]), "not been fitted"),
        (lambda: NGram(2, 5).fit([]), "empty"),
        (lambda: NGram(2, 5).fit([0, 5]), "0 to 4"),
        (lambda: NGram(2, 5).fit([0, -1]), "0 to 4"),
        (lambda: NGram(2, 5).fit([0.5]), "whole numbers"),
        (lambda: NGram(2, 5).fit([0]).perplexity([]), "empty"),
        (lambda: NGram(2, 5).fit([0]).logits(torch.tensor([0])), "2: batch"),
    ],
)
def test_mistakes_get_clear_messages(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("smoothing", ["mle", *SMOOTHED])
def test_a_text_shorter_than_the_order(smoothing: str) -> None:
    model = NGram(5, 3, smoothing).fit([1])
    if smoothing != "kneser_ney":  # which counts pairs, and there is none here
        assert model.probabilities([]).argmax() == 1
    assert model.probabilities([]).sum().item() == pytest.approx(1)
    assert model.log_probs([]).shape == (0,)
    assert model.logits(torch.zeros(1, 7, dtype=torch.long)).shape == (1, 7, 3)
    assert NGram(1, 1, smoothing).fit([0]).probabilities([0]).tolist() == [1]  # the smallest there is
