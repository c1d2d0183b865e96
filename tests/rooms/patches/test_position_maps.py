"""Positions compared with the grid of patches: tables that are a grid, and noise; ranks against scipy's."""

import numpy as np
import pytest

from core.rooms.patches.compute.position_maps import GROUPS, position_maps


def waves(n: int) -> np.ndarray:
    """A table whose cosine falls with the distance in the grid: one wave by row, one by column; row 0 is the class."""
    row, column = np.divmod(np.arange(n * n), n)
    angle = np.pi / (2 * n)
    table = np.stack([f(angle * place) for place in (row, column) for f in (np.sin, np.cos)], 1)
    return np.concatenate([np.full((1, 4), 9.0), table])


@pytest.mark.parametrize("n", [2, 4, 8])
def test_a_grid_is_found(n: int) -> None:
    maps = position_maps(waves(n))
    assert maps.found > 0.95 and maps.beside == n * n
    assert np.allclose(np.diag(maps.cosine), 1) and maps.distance[0, -1] == pytest.approx((n - 1) * 2**0.5)
    if n > 2:
        assert maps.n_as_good == 0 and abs(maps.by_chance.mean()) < 0.02
    assert np.isnan(maps.groups[2:4]).all() == (n == 2) and len(maps.groups) == len(GROUPS)


def test_noise_is_no_grid_and_ranks_are_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    table = rng.normal(size=(17, 48))
    maps = position_maps(table)
    pairs = np.triu_indices(16, 1)
    assert maps.found == pytest.approx(stats.spearmanr(-maps.distance[pairs], maps.cosine[pairs])[0], abs=1e-9)
    assert 0.01 < maps.n_as_good / len(maps.by_chance) < 0.99
    order = rng.permutation(16)
    moved = position_maps(np.concatenate([table[:1], table[1:][order]]))
    assert moved.cosine == pytest.approx(maps.cosine[np.ix_(order, order)])


def test_groups_by_hand() -> None:
    table = np.concatenate([np.zeros((1, 4)), np.repeat(np.eye(4), 4, axis=0)])  # a vector for each row of the grid
    maps = position_maps(table)
    assert maps.groups.tolist() == [1, 0, 1, 0, 0]
    zeros = position_maps(np.zeros((17, 4)))
    assert zeros.found == 0 and not zeros.cosine.any()


@pytest.mark.parametrize("n", [1, 2, 4, 14])
def test_what_is_no_square_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match=f"{n - 1} patches"):
        position_maps(np.ones((n, 3)))
