"""Kendall's tau and total variation by their definitions."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.rooms.heads_at_work.compute.rank_agreement import kendall, total_variation

LISTS = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-5, 5), min_size=n, max_size=n) for _ in range(2)])
)


@settings(max_examples=60)
@given(LISTS)
def test_tau_counts_pairs_and_leaves_out_ties(lists: tuple[list[int], list[int]]) -> None:
    """Tau-b, pair by pair; nan where all numbers of a list are equal."""
    x, y = (np.array([np.sign(a - b) for a, b in combinations(one, 2)]) for one in lists)
    untied = math.sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    expected = float((x * y).sum()) / untied if untied else math.nan
    assert kendall(*lists) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_of_the_same_of_the_opposite_and_of_half_and_half() -> None:
    assert kendall([1, 2, 3], [10, 20, 25]) == pytest.approx(1)
    assert kendall([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert kendall([1, 2, 3, 4], [2, 4, 1, 3]) == 0
    with pytest.raises(ValueError):
        kendall([1, 2], [1, 2, 3])


def test_total_variation_is_the_share_to_be_moved() -> None:
    assert total_variation([1, 0], [0, 1]) == 1
    p, q = np.random.default_rng(0).dirichlet(np.ones(6), 2)
    assert total_variation(p, q) == pytest.approx(np.maximum(p - q, 0).sum())
