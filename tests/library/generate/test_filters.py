"""Sampling filters against their definitions, in exact arithmetic where a boundary is met exactly."""

import math
import re
from fractions import Fraction
from functools import partial

import pytest
import torch
from hypothesis import given, strategies as st
from torch import Tensor

from core.generate import filters
from core.generate.decode import inverse_cdf


def logs(*shares: float, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.tensor([math.log(share) for share in shares], dtype=dtype)


def kept(logits: Tensor) -> list[int]:
    return (logits > -math.inf).nonzero().flatten().tolist()


# Shares with exact sums: whole numbers over their total.
counts = st.lists(st.integers(1, 20), min_size=1, max_size=12)
shares_of_p = st.fractions(min_value=0, max_value=1, max_denominator=40)


@given(counts, shares_of_p, st.sampled_from([torch.float32, torch.float64]))
def test_top_p_is_the_smallest_set_with_mass_p(numbers: list[int], p: Fraction, dtype: torch.dtype) -> None:
    shares = [Fraction(number, sum(numbers)) for number in numbers]
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    expected, mass = [], Fraction(0)
    for i in order:
        if expected and mass >= p:
            break
        expected.append(i)
        mass += shares[i]
    assert kept(filters.top_p(logs(*shares, dtype=dtype), float(p))) == sorted(expected)


@given(counts, st.integers(1, 15))
def test_top_k_keeps_all_ties(numbers: list[int], k: int) -> None:
    least = sorted(numbers, reverse=True)[min(k, len(numbers)) - 1]
    expected = [i for i, number in enumerate(numbers) if number >= least]
    assert kept(filters.top_k(torch.tensor(numbers, dtype=torch.float32), k)) == expected


@given(counts, shares_of_p)
def test_min_p_compares_with_the_likeliest(numbers: list[int], p: Fraction) -> None:
    expected = [i for i, number in enumerate(numbers) if number >= p * max(numbers)]
    assert kept(filters.min_p(logs(*numbers), float(p))) == expected


@given(counts, st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100), max_denominator=100))
def test_epsilon_keeps_what_reaches_it_and_the_likeliest(numbers: list[int], e: Fraction) -> None:
    least = min(e, Fraction(max(numbers), sum(numbers)))
    expected = [i for i, number in enumerate(numbers) if Fraction(number, sum(numbers)) >= least]
    assert kept(filters.epsilon(logs(*numbers), float(e))) == expected


@given(counts, st.floats(0.001, 0.9))
def test_eta_is_epsilon_with_a_threshold_that_falls_with_entropy(numbers: list[int], e: float) -> None:
    shares = [number / sum(numbers) for number in numbers]
    entropy = -sum(share * math.log(share) for share in shares)
    least = min(e, math.sqrt(e) * math.exp(-entropy), max(shares))
    got = kept(filters.eta(logs(*numbers, dtype=torch.float64), e))
    assert got == [i for i, share in enumerate(shares) if share >= least * (1 - 1e-12)]


@st.composite
def halvings(draw: st.DrawFn) -> list[int]:
    """(V,) surprises in whole bits: one token's probability halved again and again, so that entropies are exact."""
    bits = [0]
    for _ in range(draw(st.integers(0, 12))):
        halved = draw(st.sampled_from(range(len(bits))))
        bits[halved] += 1
        bits.append(bits[halved])
    return bits


@given(halvings(), shares_of_p.filter(lambda p: 0 < p < 1), st.sampled_from([torch.float32, torch.float64]))
def test_typical_keeps_what_has_less_than_p_nearer_to_the_entropy(bits: list[int], p: Fraction, dtype) -> None:
    """In exact numbers, many of them ties. Ids that decide, or rounding that does, would keep another set."""
    shares = [Fraction(1, 2**n) for n in bits]
    entropy = sum(share * n for share, n in zip(shares, bits, strict=True))
    away = [abs(n - entropy) for n in bits]
    nearer = [sum(share for share, other in zip(shares, away, strict=True) if other < own) for own in away]
    expected = [i for i, mass in enumerate(nearer) if mass < p]
    assert kept(filters.typical_p(logs(*shares, dtype=dtype), float(p))) == expected


@pytest.mark.parametrize("one", [filters.top_k, filters.min_p, filters.typical_p, filters.epsilon, filters.eta])
@given(numbers=st.lists(st.integers(1, 3), min_size=1, max_size=8), value=st.integers(1, 9), seed=st.integers(0, 99))
def test_numbering_the_vocabulary_otherwise_keeps_the_same_tokens(one, numbers: list[int], value: int, seed: int):
    """Equally likely tokens have equal rights. (Not in top-p: its set is the smallest one, so ties must be split.)"""
    logits = logs(*numbers)
    order = torch.randperm(len(numbers), generator=torch.Generator().manual_seed(seed))
    setting = value if one is filters.top_k else value / 10
    assert torch.equal(one(logits, setting)[order], one(logits[order], setting))


def test_temperature_tends_to_uniform_and_to_greedy() -> None:
    logits = logs(0.5, 0.3, 0.2)
    torch.testing.assert_close(filters.temperature(logits, 1e6).softmax(-1), torch.full((3,), 1 / 3))
    torch.testing.assert_close(filters.temperature(logits, 1e-4).softmax(-1), torch.tensor([1.0, 0.0, 0.0]))
    assert torch.equal(filters.temperature(logits, 0.7), logits / 0.7)


def test_repetition_penalty_divides_positive_and_multiplies_negative_logits() -> None:
    logits = torch.tensor([2.0, -2.0, 0.5, -math.inf, 4.0])
    got = filters.repetition_penalty(logits, torch.tensor([0, 1, 3, 0]), 2.0)
    assert got.tolist() == [1.0, -4.0, 0.5, -math.inf, 4.0]
    assert torch.equal(filters.repetition_penalty(logits, torch.tensor([0, 1]), 1.0), logits)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=15), st.integers(1, 5))
def test_no_repeat_ngram_forbids_exactly_the_repeats(ids: list[int], n: int) -> None:
    seen = {tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)}
    expected = [token for token in range(5) if (*ids[len(ids) - n + 1 :], token) not in seen or len(ids) < n - 1]
    assert kept(filters.no_repeat_ngram(torch.zeros(5), torch.tensor(ids), n)) == expected


ALL = [
    partial(filters.temperature, t=0.7),
    partial(filters.top_k, k=3),
    partial(filters.top_p, p=0.6),
    partial(filters.min_p, p=0.2),
    partial(filters.typical_p, p=0.6),
    partial(filters.epsilon, e=0.1),
    partial(filters.eta, e=0.1),
    partial(filters.repetition_penalty, penalty=1.3),
    partial(filters.no_repeat_ngram, n=2),
]


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.func.__name__)
@given(seed=st.integers(0, 10_000))
def test_rows_are_filtered_one_by_one_and_removed_tokens_stay_removed(one: partial[Tensor], seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(2, 3, 8, generator=generator)
    ids = torch.randint(8, (2, 3, 6), generator=generator)
    takes_ids = one.func in (filters.repetition_penalty, filters.no_repeat_ngram)
    batch = one(logits, ids=ids) if takes_ids else one(logits)
    assert batch.shape == logits.shape
    for b in range(2):
        for t in range(3):
            row = one(logits[b, t], ids=ids[b, t]) if takes_ids else one(logits[b, t])
            torch.testing.assert_close(batch[b, t], row)
    survivors = batch > -math.inf
    assert bool(survivors.any(-1).all())
    if one.func not in (filters.temperature, filters.repetition_penalty):
        assert torch.equal(batch[survivors], logits[survivors])  # kept logits keep their numbers
    before = logits.masked_fill(logits == logits.amax(-1, keepdim=True), -math.inf)  # as an earlier filter would
    again = one(before, ids=ids) if takes_ids else one(before)
    assert bool((again[before == -math.inf] == -math.inf).all()) and not bool(again.isnan().any())
    assert bool((again > -math.inf).any(-1).all())


@pytest.mark.parametrize(
    ("one", "value"),
    [(filters.temperature, value) for value in (0, -1, math.nan, math.inf, 1e-44)]
    + [(filters.top_k, value) for value in (0, -3, 1.5, math.nan, math.inf)]
    + [(one, value) for one in (filters.top_p, filters.min_p) for value in (-0.1, 1.1, math.nan)]
    + [(one, value) for one in (filters.typical_p, filters.epsilon, filters.eta) for value in (0, 1, -1, math.nan)]
    + [(filters.repetition_penalty, value) for value in (0, -1, math.nan)]
    + [(filters.no_repeat_ngram, value) for value in (0, -1)],
)
def test_impossible_settings_are_refused_with_the_value(one, value: float) -> None:
    takes_ids = one in (filters.repetition_penalty, filters.no_repeat_ngram)
    with pytest.raises(ValueError, match=re.escape(str(value))):
        one(torch.arange(4.0), *([torch.tensor([0])] if takes_ids else []), value)


def test_inverse_cdf_ends() -> None:
    probabilities = torch.tensor([[0.0, 0.5, 0.0, 0.5, 0.0]])
    numbers = [(0.0, 1), (0.4999, 1), (0.5, 3), (1 - 2**-53, 3), (1.0, 3)]
    for draw, token in numbers:
        assert inverse_cdf(probabilities, torch.tensor([draw], dtype=torch.float64)).tolist() == [token]
