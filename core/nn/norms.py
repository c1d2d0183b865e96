"""Normalization layers, which bring each token's vector to a standard size."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx, once_differentiable

NORMS = ("layer", "rms", "rms_plain")


class LayerNorm(nn.Module):
    """Layer normalization: subtract each vector's mean, divide by its standard deviation, apply a gain and a bias.

    Gain and bias are learned. The variance is the biased one (divided by D). A constant vector gives the bias. The
    shape of the distribution of the numbers doesn't change, so the result is not "normally distributed".

    eps: added to the variance; GPT-2 uses 1e-5, BERT 1e-12.

    Source: Ba et al. 2016 (1607.06450), equation 3.

    Elsewhere: `weight` and `bias` are `gamma` and `beta` in Keras and in BERT's original checkpoints.
    """

    def __init__(self, d_model: int, eps: float = 1e-5, bias: bool = True):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model)) if bias else None

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        x = x - x.mean(-1, keepdim=True)
        variance = x.square().mean(-1, keepdim=True)  # torch.var, on a CPU, takes four to ten times as long
        x = x * torch.rsqrt(variance + self.eps)
        return x * self.weight if self.bias is None else torch.addcmul(self.bias, x, self.weight)  # bias + x weight


class RMSNorm(nn.Module):
    """Root mean square normalization: divide each vector by its root mean square, without subtracting the mean.

    Source: Zhang and Sennrich 2019 (1910.07467), equation 4.

    Elsewhere: `eps` is `rms_norm_eps` in Llama's config. Gemma stores the gain minus 1.
    """

    def __init__(self, d_model: int, eps: float = 1e-6, gain: bool = True):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model)) if gain else None

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        x = _UnitSize.apply(x, self.eps)
        return x if self.weight is None else x * self.weight


class _UnitSize(torch.autograd.Function):
    """x / r, with r the root mean square of x, and its gradient in half as many passes over memory as autograd's.

    With y = x / r and g the gradient of the loss with respect to y, the gradient with respect to x is
    (g - y mean(g y)) / r. The subtracted part would only change the vector's length.
    """

    @staticmethod
    def forward(ctx: FunctionCtx, x: Float[Tensor, "... D"], eps: float) -> Float[Tensor, "... D"]:
        shrink = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)  # (..., 1)
        y = x * shrink
        ctx.save_for_backward(y, shrink)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Float[Tensor, "... D"]) -> tuple[Float[Tensor, "... D"], None]:
        y, shrink = ctx.saved_tensors
        along = (g * y).mean(-1, keepdim=True)  # (..., 1)
        return torch.addcmul(g, y, along, value=-1).mul_(shrink), None


def make_norm(kind: str, d_model: int, bias: bool = True, eps: float | None = None) -> nn.Module:
    """Create a `LayerNorm` ("layer") or an `RMSNorm` ("rms", or "rms_plain" without a learned gain).

    eps: added before the root; None: 1e-5 in a LayerNorm, 1e-6 in an RMSNorm.

    Raises:
        ValueError: if there is no normalization of that name.
    """
    if kind == "layer":
        return LayerNorm(d_model, eps=1e-5 if eps is None else eps, bias=bias)
    if kind in NORMS:
        return RMSNorm(d_model, eps=1e-6 if eps is None else eps, gain=kind == "rms")
    raise ValueError(f"norm={kind!r} is none of {', '.join(NORMS)}")
