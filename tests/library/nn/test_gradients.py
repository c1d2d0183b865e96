"""Gradients that are written by hand are those that autograd finds, and shifted tokens are the ones before."""

import pytest
import torch
from hypothesis import given, strategies as st
from torch import Tensor

from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.feed_forward import relu2, token_shift
from core.nn.norms import RMSNorm


def by_autograd(x: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


@pytest.mark.parametrize(
    ("ours", "plain"),
    [(relu2, lambda x: torch.relu(x).square()), (RMSNorm(6, gain=False), by_autograd)],
    ids=["squared ReLU", "RMS norm"],
)
@given(seed=st.integers(0, 99), size=st.sampled_from([1e-4, 1.0, 100.0]))
def test_a_gradient_by_hand_is_autograds(ours: object, plain: object, seed: int, size: float) -> None:
    x, g = torch.randn(2, 3, 5, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    x = x * size
    found = []
    for function in (ours, plain):
        leaf = x.clone().requires_grad_()
        y = function(leaf)  # type: ignore[operator]
        y.backward(g)
        assert leaf.grad is not None
        found.append((y.detach(), leaf.grad))
    assert torch.equal(found[0][0], found[1][0])
    torch.testing.assert_close(found[0][1], found[1][1], rtol=1e-9, atol=1e-9 / size)


def test_a_second_gradient_is_refused_and_not_wrong() -> None:
    x = torch.ones(3, requires_grad=True)
    (first,) = torch.autograd.grad((relu2(x) * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


@given(n_token=st.integers(0, 5), width=st.integers(1, 7))
def test_half_of_each_vector_comes_from_the_token_before(n_token: int, width: int) -> None:
    x = torch.arange(1.0, 2 * n_token * width + 1).reshape(2, n_token, width)
    y, half = token_shift(x), width // 2
    assert torch.equal(y[..., half:], x[..., half:])
    assert torch.equal(y[:, 1:, :half], x[:, :-1, :half])
    assert not y[:, :1, :half].any()


@pytest.mark.parametrize("other", [{"causal": False}, {"block": BlockStyle(feed_forward=False)}])
def test_a_shift_needs_an_order_and_a_feed_forward(other: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="token_shift=True needs causal=True and a feed-forward"):
        GPTConfig(vocab_size=5, modern=Modern(token_shift=True), **other)  # type: ignore[arg-type]
