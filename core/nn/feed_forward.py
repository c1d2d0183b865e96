"""The feed-forward part of a block: each token's vector, by itself, through two linear layers and a nonlinearity."""

import math
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx, once_differentiable

from core.nn.linear import Linear
from core.nn.tap import tap


def relu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """max(0, x). Source: the 2017 transformer, Vaswani et al., equation 2."""
    return torch.relu(x)


def gelu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """x times the share of a standard normal below x, exactly. Source: Hendrycks and Gimpel 2016; BERT, ViT."""
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_tanh(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The GELU's approximation by tanh, x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3).

    It is off by at most 4.8e-4. (1 + tanh u) / 2 is the sigmoid of 2 u, which takes a quarter of the time.

    Source: Hendrycks and Gimpel 2016; GPT-2.
    """
    twice = 2 * math.sqrt(2 / math.pi)
    return x * torch.sigmoid(x * (twice + twice * 0.044715 * x.square()))


def relu2(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """max(0, x) squared. Source: So et al. 2021 (Primer, 2109.08668)."""
    return _SquaredReLU.apply(x)


class _SquaredReLU(torch.autograd.Function):
    """max(0, x) squared, with its gradient 2 max(0, x) in two passes; autograd by itself takes five."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        positive = torch.relu(x)
        ctx.save_for_backward(positive)
        return positive.square()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        (positive,) = ctx.saved_tensors
        return (g * positive).mul_(2)


def quick_gelu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """x times the sigmoid of 1.702 x: a coarser GELU. Source: Hendrycks and Gimpel 2016; ImageGPT."""
    return x * torch.sigmoid(1.702 * x)


def silu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """x times its sigmoid; the nonlinearity of SwiGLU's gate. Source: Shazeer 2020 (2002.05202)."""
    return x * torch.sigmoid(x)


def token_shift(x: Float[Tensor, "*batch T D"]) -> Float[Tensor, "*batch T D"]:
    """The first half of each vector is the one of the token before; the first token gets zeros there.

    A layer that reads this knows two tokens without any attention.

    Source: Peng et al. 2023 (RWKV, 2305.13048), section 3.1.1, with shares of 1 and 0 in place of learned ones.
    """
    half = x.shape[-1] // 2
    first, second = x.split([half, x.shape[-1] - half], -1)  # (..., T, half), (..., T, D - half)
    before = torch.cat([torch.zeros_like(first[..., :1, :]), first[..., :-1, :]], -2)
    return torch.cat([before, second], -1)


GATED: dict[str, Callable[[Tensor], Tensor]] = {"swiglu": silu, "geglu": gelu_tanh, "geglu_exact": gelu}
_PLAIN = {"relu": relu, "gelu": gelu, "gelu_tanh": gelu_tanh, "quick_gelu": quick_gelu, "relu2": relu2}
_NONLINEARITY = _PLAIN | GATED
ACTIVATIONS = tuple(_NONLINEARITY)


class FeedForward(nn.Module):
    """Widen, bend, narrow: `w_out(activation(w_in(x)))`; with SwiGLU and GEGLU the bent half gates a second one.

    Args:
        d_model, d_ff: widths of input and output, and between the two layers, usually 4 d_model.
        activation: "relu", "gelu" (exact), "gelu_tanh", "quick_gelu", "relu2", "swiglu", "geglu" (by tanh, T5 v1.1) or
            "geglu_exact" (ModernBERT).

    Raises:
        ValueError: if there is no activation of that name.

    Source: Vaswani et al. 2017, section 3.3; SwiGLU, GEGLU: Shazeer 2020.
    """

    def __init__(self, d_model: int, d_ff: int, activation: str = "gelu_tanh", bias: bool = True):
        super().__init__()
        if activation not in _NONLINEARITY:
            raise ValueError(f"activation={activation!r} is none of {', '.join(ACTIVATIONS)}")
        self.activation = activation
        self.w_in = Linear(d_model, d_ff, bias=bias)
        self.w_gate = Linear(d_model, d_ff, bias=bias) if activation in GATED else None
        self.w_out = Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch D"]:
        nonlinearity = _NONLINEARITY[self.activation]
        pre = tap(self, "pre", self.w_in(x) if self.w_gate is None else self.w_gate(x))  # (B, T, F)
        bent = nonlinearity(pre)
        act = tap(self, "act", bent if self.w_gate is None else bent * self.w_in(x))  # (B, T, F)
        return tap(self, "out", self.w_out(act))  # (B, T, D)
