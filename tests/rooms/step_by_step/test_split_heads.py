"""Project then split against split then project: counts, reach and equality."""

import numpy as np
import pytest
import torch

from core.rooms.step_by_step.compute import split_heads

SIZES = [(8, 1), (8, 2), (8, 8), (16, 4), (32, 8), (64, 2)]


def test_counts_of_the_2017_base_transformer() -> None:
    found = split_heads.count(512, 8)
    assert (found.standard_qkv, found.split_qkv, found.w_o) == (786_432, 98_304, 262_144)


@pytest.mark.parametrize(("d_model", "n_head"), SIZES)
def test_a_head_of_the_split_layer_sees_its_slice_and_exactly_nothing_else(d_model: int, n_head: int) -> None:
    found = split_heads.compare(d_model, n_head, seed=0)
    own = np.kron(np.eye(n_head, dtype=bool), np.ones((1, d_model // n_head), bool))
    assert (found.reach[0] > 0).all()
    np.testing.assert_array_equal(found.reach[1] > 0, own)
    assert (found.mixed[0] > 0).all()
    np.testing.assert_array_equal(found.mixed[1] > 0, own)


@pytest.mark.parametrize(("d_model", "n_head"), SIZES)
def test_a_block_diagonal_standard_layer_is_split_then_project_exactly(d_model: int, n_head: int) -> None:
    found = split_heads.compare(d_model, n_head, seed=2)
    assert found.same == 0
    blocks = np.kron(np.eye(n_head), np.ones((d_model // n_head,) * 2))
    assert (found.w_q[1][blocks == 0] == 0).all()
    assert int((found.w_q[1] != 0).sum()) == split_heads.count(d_model, n_head).split_qkv // 3


def test_reach_is_the_largest_weight_of_the_head() -> None:
    """q is linear in x: growing one number by 1 changes q by that column of W_q."""
    found = split_heads.compare(16, 4, seed=1)
    expected = np.abs(found.w_q).reshape(2, 4, 4, 16).max(2)
    np.testing.assert_allclose(found.reach, expected, atol=1e-12)


def test_chunked_linear_is_its_matrix() -> None:
    layer = split_heads.ChunkedLinear(12, 3)
    with torch.no_grad():
        layer.weight.copy_(torch.randn(layer.weight.shape, generator=torch.Generator().manual_seed(0)))
    x = torch.randn((2, 5, 12), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(layer(x), x @ layer.as_matrix().T)


def test_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="not divisible"):
        split_heads.count(10, 4)
