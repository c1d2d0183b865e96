"""What Kendall's tau and total variation mean."""

import math

import numpy as np
import pytest

from core.rooms.heads_at_work.compute.rank_agreement import kendall, total_variation


def test_tau_of_the_same_of_the_opposite_of_half_and_half_with_ties_and_of_a_constant() -> None:
    assert kendall([1, 2, 3], [10, 20, 25]) == pytest.approx(1)
    assert kendall([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert kendall([1, 2, 3, 4], [2, 4, 1, 3]) == 0
    assert kendall([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(2 * 3))  # tau-b: two of three pairs are untied
    assert math.isnan(kendall([1, 1], [1, 2]))
    with pytest.raises(ValueError):
        kendall([1, 2], [1, 2, 3])


def test_total_variation_is_the_share_to_be_moved() -> None:
    assert total_variation([1, 0], [0, 1]) == 1
    p, q = np.random.default_rng(0).dirichlet(np.ones(6), 2)
    assert total_variation(p, q) == pytest.approx(np.maximum(p - q, 0).sum())
