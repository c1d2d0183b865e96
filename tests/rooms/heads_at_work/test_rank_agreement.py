"""Kendall's tau against SciPy, and its meaning; total variation by its definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from core.rooms.heads_at_work.compute.rank_agreement import kendall, total_variation

LISTS = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-5, 5), min_size=n, max_size=n) for _ in range(2)])
)


@settings(max_examples=60)
@given(LISTS)
def test_tau_is_that_of_scipy(lists: tuple[list[int], list[int]]) -> None:
    x, y = lists
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert math.isnan(kendall(x, y))
    else:
        assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_tau_of_the_same_of_the_opposite_and_of_half_and_half() -> None:
    assert kendall([1, 2, 3], [10, 20, 25]) == pytest.approx(1)
    assert kendall([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert kendall([1, 2, 3, 4], [2, 4, 1, 3]) == 0
    with pytest.raises(ValueError, match="cannot be compared"):
        kendall([1, 2], [1, 2, 3])


def test_total_variation_is_the_share_to_be_moved() -> None:
    assert total_variation([0.5, 0.5, 0], [0.5, 0.5, 0]) == 0
    assert total_variation([1, 0], [0, 1]) == 1
    assert total_variation([0.7, 0.3], [0.4, 0.6]) == pytest.approx(0.3)
    p, q = np.random.default_rng(0).dirichlet(np.ones(6), 2)
    assert total_variation(p, q) == pytest.approx(np.maximum(p - q, 0).sum())
