"""Normalisation: each token's vector, by itself, is brought to a standard size."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx, once_differentiable

NORMS = ("layer", "rms", "rms_plain")


class LayerNorm(nn.Module):
    """Subtract each vector's mean, divide by its standard deviation, then apply a learned gain and bias.

    The variance is the biased one (divided by D). A constant vector gives the bias. The shape of the distribution of
    the numbers stays what it was: the result is not "normally distributed".

    eps: added to the variance; GPT-2 has 1e-5, BERT 1e-12.

    Source: Ba et al. 2016 (1607.06450), equation 3.
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
    """Divide each vector by its root mean square; the mean stays.

    Source: Zhang and Sennrich 2019 (1910.07467), equation 4.
    """

    def __init__(self, d_model: int, eps: float = 1e-6, gain: bool = True):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model)) if gain else None

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        x = _UnitSize.apply(x, self.eps)
        return x if self.weight is None else x * self.weight


class _UnitSize(torch.autograd.Function):
    """x / r, r its root mean square, with a gradient in half of the passes that autograd finds by itself.

    Where y = x / r and g is the loss's gradient by y, that by x is (g - y mean(g y)) / r: what would only change the
    vector's length is taken out.
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
    """A `LayerNorm` ("layer") or an `RMSNorm` ("rms", or "rms_plain" without a learned gain), by name.

    eps: what is added before the root; None: 1e-5 of a LayerNorm, 1e-6 of an RMSNorm.

    Raises:
        ValueError: if there is no normalisation of that name.
    """
    if kind == "layer":
        return LayerNorm(d_model, eps=1e-5 if eps is None else eps, bias=bias)
    if kind in NORMS:
        return RMSNorm(d_model, eps=1e-6 if eps is None else eps, gain=kind == "rms")
    raise ValueError(f"norm={kind!r} is none of {', '.join(NORMS)}")
