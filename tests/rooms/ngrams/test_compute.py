"""Counts, tables, copies, samples and chains: against counting by hand; and what charts and widgets make of them."""

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from core.charts.axis import Axis
from core.charts.bars import bars
from core.models.ngram import NGram
from core.rooms.ngrams import markov, orders
from core.rooms.ngrams.compute import counting
from core.rooms.ngrams.compute.counting import NGramCounts
from core.rooms.ngrams.markov import chain_rule_latex, format_number
from core.ui.exhibit.exhibit_text import load_exhibit_markdown, render_template

V = 5
texts = st.lists(st.integers(0, V - 1), min_size=1, max_size=60)
SMOOTHINGS = {"mle": {}, "lidstone": {"gamma": 0.3}, "interpolated": {}, "kneser_ney": {"uniform": True}}


@given(ids=texts, other=texts)
@settings(max_examples=25)
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_shared_counts_give_the_models_that_fitting_gives(smoothing: str, ids: list[int], other: list[int]) -> None:
    counts = NGramCounts.of(ids, V, 4)
    for order in range(1, 5):
        fitted = NGram(order, V, smoothing, **SMOOTHINGS[smoothing]).fit(ids)
        shared = counts.model(order, smoothing, **SMOOTHINGS[smoothing])
        assert shared.log_probs(other).tolist() == fitted.log_probs(other).tolist()
        assert shared.probabilities(other).tolist() == fitted.probabilities(other).tolist()


def test_more_than_was_counted_and_keys_that_would_overflow_are_refused() -> None:
    with pytest.raises(ValueError, match="only n-grams of up to 3"):
        NGramCounts.of([0, 1], 2, 3).model(4, "mle")
    with pytest.raises(ValueError, match="63 bits"):
        NGram(2, 2**62).fit([0, 1, 2])


def test_order_6_of_a_large_vocabulary_counts_right() -> None:
    ids = np.random.default_rng(0).integers(0, 50_000, 3_000)
    ids = np.concatenate([ids, ids])  # each 6-gram within a half stands twice
    level = NGramCounts.of(ids, 50_000).plain[5]
    assert level.keys[:-1].min() >= 0
    expected = Counter(tuple(ids[i : i + 6].tolist()) for i in range(len(ids) - 5))
    assert sorted(level.counts[:-1]) == sorted(expected.values())


@given(ids=texts, left_out=st.integers(0, V - 1))
@settings(max_examples=40)
def test_tables_count_neighbors(ids: list[int], left_out: int) -> None:
    counts = NGramCounts.of(ids, V, 3)
    shown = counting.most_common_tokens(counts, 3)
    by_count = sorted(Counter(ids).items(), key=lambda one: (-one[1], one[0]))
    assert shown.tolist() == [token for token, _ in by_count[:3]]
    pairs, triples = Counter(pairwise(ids)), Counter(zip(ids, ids[1:], ids[2:], strict=False))
    table = counting.count_bigrams(counts, 3, left_out=[left_out])
    by_count = [token for token, _ in by_count if token != left_out]
    shown, follows = by_count[:3], {c: sum(pairs[a, c] for a in by_count[:3]) for c in range(V) if c != left_out}
    columns = sorted((c for c in follows if follows[c]), key=lambda c: (-follows[c], c))[:3]
    assert (table.rows.tolist(), table.columns.tolist()) == (shown, columns)
    assert table.counts.tolist() == [[pairs[a, b] for b in columns] for a in shown]
    assert table.totals.tolist() == [sum(pairs[a, b] for b in range(V)) for a in shown]
    assert np.allclose(table.counts.sum(1) + table.others, table.totals)
    for first in range(V):
        part = counting.count_trigrams(counts, first, 3)
        seconds = sorted((b for a, b in pairs if a == first), key=lambda b: (-pairs[first, b], b))[:3]
        assert part.rows.tolist() == seconds
        after = {c: sum(triples[first, b, c] for b in seconds) for c in range(V)}
        thirds = sorted((c for c in range(V) if after[c]), key=lambda c: (-after[c], c))[:3]
        assert part.columns.tolist() == thirds
        assert part.counts.tolist() == [[triples[first, b, c] for c in thirds] for b in seconds]
        assert part.totals.tolist() == [sum(triples[first, b, c] for c in range(V)) for b in seconds]


def test_a_text_too_short_for_triples_has_empty_tables() -> None:
    counts = NGramCounts.of([2], V, 3)
    assert counting.count_bigrams(counts, 3).counts.shape == (1, 0)
    for first in (2, 0):
        assert counting.count_trigrams(counts, first, 3).counts.size == 0


def test_places_are_found_with_what_stands_around() -> None:
    ids = np.array([0, 1, 2, 0, 1, 3, 0, 1])
    n, found = counting.find_occurrences(ids, [0, 1], around=2, most=2)
    assert n == 3
    assert [(one.position, one.before, one.found, one.after) for one in found] == [
        (0, (), (0, 1), (2, 0)),
        (3, (1, 2), (0, 1), (3, 0)),
    ]
    assert counting.find_occurrences(ids, [3, 3]) == (0, [])
    assert counting.find_occurrences(ids[:1], [0, 1, 2]) == (0, [])


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_losses_of_all_orders_are_those_of_each(smoothing: str) -> None:
    rng = np.random.default_rng(0)
    train, val = rng.integers(0, V, 300), rng.integers(0, V, 60)
    options = SMOOTHINGS[smoothing]
    found = orders.order_losses(NGramCounts.of(train, V, 5), smoothing, train, val, **options)
    for order in range(1, 6):
        model = NGram(order, V, smoothing, **options).fit(train)
        assert np.exp(found.train[order - 1]) == pytest.approx(model.perplexity(train), rel=1e-12)
        assert np.exp(found.val[order - 1]) == pytest.approx(model.perplexity(val), rel=1e-12)


@given(ids=texts, other=texts)
@settings(max_examples=40)
def test_never_seen_is_a_share_of_the_new_text(ids: list[int], other: list[int]) -> None:
    shares = orders.unseen_shares(NGramCounts.of(ids, V, 4), np.array(other))
    for n in range(1, 5):
        known = {tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)}
        new = [tuple(other[i : i + n]) not in known for i in range(len(other) - n + 1)]
        assert math.isnan(shares[n - 1]) if not new else shares[n - 1] == pytest.approx(np.mean(new))


@given(ids=texts, other=texts)
@settings(max_examples=60)
def test_the_longest_copy_is_the_longest(ids: list[int], other: list[int]) -> None:
    found = orders.longest_copy(other, np.array(ids))
    piece = other[found.start : found.start + found.length]
    assert not piece or ids[found.place : found.place + found.length] == piece
    longer = found.length + 1
    known = {tuple(ids[i : i + longer]) for i in range(len(ids) - longer + 1)}
    assert not any(tuple(other[i : i + longer]) in known for i in range(len(other) - longer + 1))
    surrogates = np.array([0xD7FF, 0xD800, 0xDFFF, 0xE000, 199_999])  # are ids as others are
    assert orders.longest_copy([0xD800, 0xDFFF, 0xE000], surrogates).place == 1


def test_a_sample_is_what_decoding_the_model_gives_and_seeds_repeat_it() -> None:
    ids = np.random.default_rng(0).integers(0, V, 400)
    model, past = NGramCounts.of(ids, V, 4).model(4, "interpolated"), ids[:3].tolist()
    one, again, other = (orders.generate_sample(model, past, 30, seed, ids) for seed in (7, 7, 8))
    assert one == again
    assert one.ids != other.ids
    for token, p in zip(one.ids, one.p, strict=True):
        assert model.probabilities(past)[token].item() == pytest.approx(p, abs=1e-6)
        past.append(token)
    # Without smoothing a text may come to its end.
    end = orders.generate_sample(NGramCounts.of([0, 1, 2], 3, 3).model(3, "mle"), [0, 1], 10, 0, np.array([0, 1, 2]))
    assert (end.ids, end.ended, end.copied.length) == ((2,), True, 1)


def test_a_beginning_is_that_of_a_line() -> None:
    ids = np.array([1, 2, 9, 3, 4, 5, 9, 6, 7, 8, 1, 1, 1, 1])
    found = {tuple(orders.line_beginning(ids, np.array([9]), 3, seed)) for seed in range(30)}
    assert found == {(1, 2, 9), (3, 4, 5), (6, 7, 8)}
    assert len(orders.line_beginning(ids, np.array([], dtype=np.int64), 3, 0)) == 3


@given(ids=texts, sentence=st.lists(st.integers(0, V - 1), min_size=1, max_size=12))
@settings(max_examples=30)
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_every_factor_is_the_models_own(smoothing: str, ids: list[int], sentence: list[int]) -> None:
    counts = NGramCounts.of(ids, V, 4)
    models = [counts.model(order, smoothing, **SMOOTHINGS[smoothing]) for order in range(1, 5)]
    chain = markov.factor_sentence(models, sentence)
    for row, model in enumerate(models):
        for t, token in enumerate(sentence):
            assert chain.p[row, t] == pytest.approx(model.probabilities(sentence[:t])[token].item(), abs=1e-14)
            assert chain.n_context[row, t] == min(t, row)
            if smoothing in ("mle", "lidstone", "interpolated"):
                n = int(chain.n_context[row, t])
                h = sentence[t - n : t]
                c = sum(ids[i : i + n] == h and ids[i + n] == token for i in range(len(ids) - n))
                c_h = sum(ids[i : i + n] == h for i in range(len(ids) - n))
                assert (chain.counts[row, t], chain.totals[row, t]) == (c, c_h)
                lower = 1 / V if n == 0 else models[n - 1].probabilities(sentence[t - n + 1 : t])[token].item()
                if smoothing == "interpolated":
                    assert chain.lower[row, t] == pytest.approx(lower, abs=1e-14)
    assert chain.product == pytest.approx(chain.p.prod(1))
    expected = [math.log(p) if p > 0 else -math.inf for p in chain.product]
    assert chain.log_sum.tolist() == pytest.approx(expected)


def test_lecture_formula_of_bigram_and_trigram() -> None:
    """p(x1) p(x2|x1) p(x3|x2) ... and p(x1) p(x2|x1) p(x3|x1,x2) ..., with counts."""
    ids = [0, 1, 2, 0, 1, 1, 2, 2, 0, 1]
    counts = NGramCounts.of(ids, 3, 3)
    chain = markov.factor_sentence([counts.model(n, "mle") for n in (1, 2, 3)], [0, 1, 2])
    assert chain.p[0].tolist() == [3 / 10, 4 / 10, 3 / 10]
    assert chain.p[1].tolist() == pytest.approx([3 / 10, 3 / 3, 2 / 3])
    assert chain.p[2].tolist() == pytest.approx([3 / 10, 3 / 3, 1 / 2])
    assert chain.perplexity[1] == pytest.approx((3 / 10 * 2 / 3) ** (-1 / 3))


def test_a_long_product_is_lost_and_its_logarithms_are_not() -> None:
    long = markov.multiply_factors(np.full(1_000, math.log(0.1)))
    assert long is not None and long.product == 0
    assert long.zero_after == 324  # 1e-323 is the last tenth that float64 has
    assert long.log_sum == pytest.approx(1_000 * math.log(0.1))
    short = markov.multiply_factors(np.full(10, math.log(0.5)))
    assert short is not None and (short.zero_after, short.product) == (None, pytest.approx(2**-10))
    assert markov.multiply_factors(np.array([-1.0, -np.inf])) is None


def test_a_small_share_is_not_called_nothing_nor_a_small_number() -> None:
    assert [format_number(v) for v in (0, 0.25, 3.14e-8, math.inf)] == ["0", "0.25", "3.1·10⁻⁸", "infinite"]
    shares = {str(share): share for share in (0.0, 0.0004, 0.109, 1.0, math.nan)}
    rows = bars(shares, x=Axis(unit="%"), printed=".1%", is_upright=True)["datasets"]["rows"]
    assert [row["text"] for row in rows] == ["0.0%", "<0.1%", "10.9%", "100.0%"]


def test_formulas_are_the_lectures() -> None:
    assert chain_rule_latex(2, 9) == (
        r"p(x_1, \dots, x_{9}) = p(x_{1}) p(x_{2} \mid x_{1}) \prod_{t=3}^{9} p(x_t \mid x_{t-1})"
    )
    assert chain_rule_latex(3, 9) == (
        r"p(x_1, \dots, x_{9}) = p(x_{1}) p(x_{2} \mid x_{1}) p(x_{3} \mid x_{1}, x_{2}) "
        r"\prod_{t=4}^{9} p(x_t \mid x_{t-2}, x_{t-1})"
    )
    assert chain_rule_latex(3, 2) == r"p(x_1, \dots, x_{2}) = p(x_{1}) p(x_{2} \mid x_{1})"
    assert chain_rule_latex(2, 1) == "p(x_1) = p(x_{1})"


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        ("mle", "= 3 / 12 = 0.25"),
        ("lidstone", "= (3 + 0.5) / (12 + 0.5 · 100) = 0.25"),
        ("interpolated", "= (3 + 4 · 5 · 0.1) / (12 + 4 · 5) = 0.25"),
        ("kneser_ney", "= max(3 − 0.75, 0) / 12 + 0.75 · 5 / 12 · 0.1 = 0.25"),
    ],
)
def test_a_factor_tells_its_counts(smoothing: str, expected: str) -> None:
    line = factor(smoothing=smoothing, count=3, total=12, value="0.25", lower="0.1")
    assert line.startswith("p(b⏎ | ·a) = ")
    assert expected in line


def test_a_factor_in_plain_words_and_after_a_past_never_seen_there_is_nothing_to_divide_by() -> None:
    plain = factor(smoothing="mle", count=3, total=12, value="0.25", plainly=True)
    assert plain == "“b⏎” comes 3 of 12 times after “·a”: 0.25"
    unseen = {"count": 0, "total": 0}
    assert "nothing to divide by: 0" in factor(smoothing="mle", value="0", **unseen)
    assert "the order below decides: 0.1" in factor(smoothing="interpolated", value="0.1", **unseen)
    assert "all tokens are equally likely: 0.01" in factor(smoothing="lidstone", value="0.01", plainly=True, **unseen)


def factor(**given: Any) -> str:
    usual = {"h": "·a", "w": "b⏎", "types": 5, "lower": "", "k": 0.5, "V": 100, "strength": 4, "discount": 0.75}
    given = usual | {"is_highest": True, "plainly": False} | given
    return render_template(
        load_exhibit_markdown("ngrams", "markov").sections["factor"].text, given.__getitem__, is_plain=True
    )
