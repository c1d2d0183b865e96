"""Why the square root, and project then split against split then project: against closed forms, autograd and torch."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from torch.nn import functional as F

from core.rooms.step_by_step.compute import score_scaling, split_heads

SIZES = [(8, 1), (8, 2), (8, 8), (16, 4), (32, 8), (64, 2)]


@pytest.mark.parametrize("d_k", [4, 64, 512])
def test_scores_have_variance_d_k_without_and_1_with_the_root(d_k: int) -> None:
    found = score_scaling.measure_width(d_k, seed=0)
    assert found.variance[0] == pytest.approx(d_k, rel=0.15)
    assert found.variance[1] == pytest.approx(1, rel=0.15)
    assert found.variance[0] == pytest.approx(d_k * found.variance[1], rel=1e-9)


def test_measures_are_those_of_the_definitions() -> None:
    q, k, *_ = score_scaling.random_attention_inputs(3, 16)
    p = (q[0, 0] @ k[0, 0].T).softmax(-1)
    found = score_scaling.measure_width(16, seed=3)
    assert found.entropy[0] == pytest.approx(float(-(p * p.log()).sum(-1).mean()))
    assert found.top[0] == pytest.approx(float(p.max(-1).values.mean()))
    assert found.saturated[0] == pytest.approx(float((p.max(-1).values > 0.99).double().mean()))
    assert max(found.entropy) <= math.log(score_scaling.N_KEY)


@given(st.lists(st.floats(-8, 8), min_size=2, max_size=12))
def test_size_of_the_jacobian_is_that_of_autograd(numbers: list[float]) -> None:
    scores = torch.tensor(numbers, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), scores)
    assert float(score_scaling.jacobian_size(scores.softmax(-1))) == pytest.approx(float(jacobian.norm()), abs=1e-9)


@pytest.mark.parametrize("d_k", [4, 512])
def test_gradients_at_the_queries_are_those_of_the_closed_form(d_k: int) -> None:
    """Autograd against dQ = scale · (A ∘ (G Vᵀ − rowsum(A ∘ G Vᵀ))) K, for all queries at once."""
    q, k, v, sent = (one[0, 0] for one in score_scaling.random_attention_inputs(2, d_k))
    for scale, lengths in zip((1.0, d_k**-0.5), score_scaling.query_gradients(d_k, 2), strict=True):
        weights = (q @ k.T * scale).softmax(-1)
        back = sent / math.sqrt(d_k) @ v.T
        expected = scale * (weights * (back - (weights * back).sum(-1, keepdim=True))) @ k
        np.testing.assert_allclose(lengths, expected.norm(dim=-1).numpy(), atol=1e-10)


def test_one_query_is_a_row_of_what_is_measured() -> None:
    without, with_root = score_scaling.one_query_weights(8, seed=1, query=5)
    q, k, *_ = score_scaling.random_attention_inputs(1, 8)
    scores = q[0, 0, 5] @ k[0, 0].T
    np.testing.assert_allclose(without, scores.softmax(-1).numpy(), atol=1e-12)
    np.testing.assert_allclose(with_root, (scores / math.sqrt(8)).softmax(-1).numpy(), atol=1e-12)


@pytest.mark.parametrize("d_k", [4, 64, 512])
def test_the_root_outside_divides_every_row_and_the_right_one_is_torchs(d_k: int) -> None:
    found = score_scaling.compare_roots(d_k, seed=0)
    np.testing.assert_allclose(found.weights.sum(-1)[0], 1)
    np.testing.assert_allclose(found.weights.sum(-1)[1], 1 / math.sqrt(d_k))
    np.testing.assert_allclose(found.weights.sum(-1)[2], 1)
    assert found.error[0] < 1e-12
    q, k, v = score_scaling.random_tensors(0, *[(1, 1, 12, d_k)] * 3)
    wrong = (F.softmax(q @ k.mT, -1) / math.sqrt(d_k) @ v)[0, 0].numpy()
    np.testing.assert_allclose(found.outputs[1], wrong, atol=1e-12)
    share = np.linalg.norm(wrong - found.reference) / np.linalg.norm(found.reference)
    assert found.error[1] == pytest.approx(share)


def test_same_seed_same_numbers_and_the_global_generator_is_left_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    assert (
        score_scaling.measure_width(32, 7) == score_scaling.measure_width(32, 7) != score_scaling.measure_width(32, 8)
    )
    assert torch.equal(torch.rand(3), expected)


# --- many heads


def test_counts_of_the_2017_base_transformer() -> None:
    found = split_heads.count_weights(512, 8)
    assert (found.standard_qkv, found.split_qkv, found.w_o) == (786_432, 98_304, 262_144)
    with pytest.raises(ValueError, match="not divisible"):
        split_heads.count_weights(10, 4)


@pytest.mark.parametrize(("d_model", "n_head"), SIZES)
def test_a_head_of_the_split_layer_sees_its_slice_and_a_block_diagonal_layer_is_it_exactly(
    d_model: int, n_head: int
) -> None:
    found = split_heads.compare_splits(d_model, n_head, seed=2)
    own = np.kron(np.eye(n_head, dtype=bool), np.ones((1, d_model // n_head), bool))
    for reached in (found.reach, found.mixed):
        assert (reached[0] > 0).all()
        np.testing.assert_array_equal(reached[1] > 0, own)
    assert found.same == 0
    blocks = np.kron(np.eye(n_head), np.ones((d_model // n_head,) * 2))
    np.testing.assert_array_equal(found.w_q[1] != 0, blocks != 0)
    assert int((found.w_q[1] != 0).sum()) == split_heads.count_weights(d_model, n_head).split_qkv // 3


def test_reach_is_the_largest_weight_of_the_head() -> None:
    """q is linear in x: growing one number by 1 changes q by that column of W_q."""
    found = split_heads.compare_splits(16, 4, seed=1)
    expected = np.abs(found.w_q).reshape(2, 4, 4, 16).max(2)
    np.testing.assert_allclose(found.reach, expected, atol=1e-12)


def test_chunked_linear_is_its_matrix() -> None:
    layer = split_heads.ChunkedLinear(12, 3)
    with torch.no_grad():
        layer.weight.copy_(torch.randn(layer.weight.shape, generator=torch.Generator().manual_seed(0)))
    x = torch.randn((2, 5, 12), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(layer(x), x @ layer.as_matrix().T)
