"""The feed-forward layer of a block: two linear layers and a nonlinearity, applied to each token separately."""

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
    """Compute max(0, x). Source: the 2017 transformer, Vaswani et al., equation 2."""
    return torch.relu(x)


def gelu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Compute the exact GELU: x times the probability that a standard normal variable is below x.

    Source: Hendrycks and Gimpel 2016; BERT, ViT.
    """
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_tanh(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Compute the tanh approximation of the GELU, x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3).

    Its error is at most 4.8e-4. (1 + tanh u) / 2 is the sigmoid of 2 u, which takes a quarter of the time.

    Source: Hendrycks and Gimpel 2016; GPT-2.

    Elsewhere: `gelu_new` in Hugging Face's GPT-2, `approximate="tanh"` in `torch.nn.GELU`.
    """
    twice = 2 * math.sqrt(2 / math.pi)
    return x * torch.sigmoid(x * (twice + twice * 0.044715 * x.square()))


def relu2(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Compute max(0, x) squared. Source: So et al. 2021 (Primer, 2109.08668)."""
    return _SquaredReLU.apply(x)


class _SquaredReLU(torch.autograd.Function):
    """The squared ReLU with its gradient 2 max(0, x) in two passes over memory; autograd takes five."""

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
    """Compute x times the sigmoid of 1.702 x, a coarser GELU. Source: Hendrycks and Gimpel 2016; ImageGPT."""
    return x * torch.sigmoid(1.702 * x)


def silu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Compute x times its sigmoid, the nonlinearity of SwiGLU's gate; also called Swish.

    Source: Shazeer 2020 (2002.05202).
    """
    return x * torch.sigmoid(x)


def token_shift(x: Float[Tensor, "*batch T D"]) -> Float[Tensor, "*batch T D"]:
    """Replace the first half of each vector by the previous token's first half; the first token gets zeros there.

    A layer that reads the result sees two tokens without any attention.

    Source: Peng et al. 2023 (RWKV, 2305.13048), section 3.1.1, with mixing weights of 1 and 0 instead of learned ones.
    """
    half = x.shape[-1] // 2
    first, second = x.split([half, x.shape[-1] - half], -1)  # (..., T, half), (..., T, D - half)
    before = torch.cat([torch.zeros_like(first[..., :1, :]), first[..., :-1, :]], -2)
    return torch.cat([before, second], -1)


GATED_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"swiglu": silu, "geglu": gelu_tanh, "geglu_exact": gelu}
_PLAIN = {"relu": relu, "gelu": gelu, "gelu_tanh": gelu_tanh, "quick_gelu": quick_gelu, "relu2": relu2}
_NONLINEARITY = _PLAIN | GATED_ACTIVATIONS
ACTIVATIONS = tuple(_NONLINEARITY)


class FeedForward(nn.Module):
    """A feed-forward layer (MLP): widen, apply a nonlinearity, narrow: `w_out(activation(w_in(x)))`.

    In the gated units SwiGLU and GEGLU, the nonlinearity is applied to `w_gate(x)`, which is multiplied with `w_in(x)`.

    Args:
        d_model, d_ff: the width of input and output, and the width between the two layers, usually 4 d_model.
        activation: "relu", "gelu" (exact), "gelu_tanh", "quick_gelu", "relu2", "swiglu", "geglu" (by tanh, T5 v1.1) or
            "geglu_exact" (ModernBERT).

    Raises:
        ValueError: if there is no activation of that name.

    Source: Vaswani et al. 2017, section 3.3; SwiGLU, GEGLU: Shazeer 2020.

    Elsewhere: `w_gate`, `w_in` and `w_out` are `gate_proj`, `up_proj` and `down_proj` in Llama, `wi_0`, `wi_1` and `wo`
    in T5 v1.1, `W_gate`, `W_in` and `W_out` in TransformerLens. GPT-2's `c_fc` and `c_proj` are `w_in` and `w_out`. The
    taps `pre` and `act` are TransformerLens' `hook_pre` and `hook_post`.
    """

    def __init__(self, d_model: int, d_ff: int, activation: str = "gelu_tanh", bias: bool = True):
        super().__init__()
        if activation not in _NONLINEARITY:
            raise ValueError(f"activation={activation!r} is none of {', '.join(ACTIVATIONS)}")
        self.activation = activation
        self.w_in = Linear(d_model, d_ff, bias=bias)
        self.w_gate = Linear(d_model, d_ff, bias=bias) if activation in GATED_ACTIVATIONS else None
        self.w_out = Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch D"]:
        nonlinearity = _NONLINEARITY[self.activation]
        pre = tap(self, "pre", self.w_in(x) if self.w_gate is None else self.w_gate(x))  # (B, T, F)
        bent = nonlinearity(pre)
        act = tap(self, "act", bent if self.w_gate is None else bent * self.w_in(x))  # (B, T, F)
        return tap(self, "out", self.w_out(act))  # (B, T, D)
