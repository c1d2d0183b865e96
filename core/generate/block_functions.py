"""A block of a GPT as plain functions of (M, D), with as few torch operations as possible, for fast decoding.

It does the same arithmetic as `core.nn.block`; the tests compare the two on every variant of the model.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.nn.attention import MultiHeadAttention
from core.nn.block import Block
from core.nn.feed_forward import FeedForward
from core.nn.linear import HALF_DTYPES, linear
from core.nn.norms import LayerNorm, RMSNorm

_TensorFunction = Callable[[Tensor], Tensor]

MAX_COPIED_WEIGHTS = 2**19  # weights: up to this size, copying a matrix into a better memory layout pays off
_NONLINEARITY: dict[str, _TensorFunction] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "relu2": lambda x: F.relu(x).square(),
    "swiglu": F.silu,
    "geglu": partial(F.gelu, approximate="tanh"),
    "geglu_exact": F.gelu,
}


class BlockFunctions(NamedTuple):
    """A block as plain functions of (M, D)."""

    norm_1: _TensorFunction
    project: Callable[..., Tensor]  # (M, D) -> (M, (H + 2 G) K): queries of H heads, keys and values of G heads;
    # written into the tensor `out` if one is given
    norm_qk: _TensorFunction | None  # of queries and keys (…, H + G, K)
    sinks: Tensor | None  # (G, H / G, 1), their scores
    gate: _TensorFunction | None  # (M, D) -> (M, H, K) or (M, H, 1)
    w_o: _TensorFunction
    norm_1_out: _TensorFunction
    norm_2: _TensorFunction
    mlp: _TensorFunction | None
    norm_2_out: _TensorFunction


def block_to_functions(block: Block) -> BlockFunctions:
    """Convert a block to plain functions."""
    attn, norm_1, norm_1_out = block.attn, plain_norm_function(block.norm_1), plain_norm_function(block.norm_1_out)
    scores = attn.sink_scores()
    sinks = None if scores is None else scores.view(attn.n_kv_head, -1, 1)
    qkv = norm_1, _projection(attn), _norm_qk(attn), sinks, _gate(attn), plain_linear_function(attn.w_o), norm_1_out
    if not block.style.feed_forward:
        return BlockFunctions(*qkv, _same, None, _same)
    return BlockFunctions(
        *qkv, plain_norm_function(block.norm_2), _mlp(block.mlp), plain_norm_function(block.norm_2_out)
    )


def _projection(attention: MultiHeadAttention) -> Callable[..., Tensor]:
    """Return the projection to queries, keys and values: a single product if copying the weights is cheap."""
    parts = [attention.w_q, attention.w_k, attention.w_v]
    if sum(part.weight.numel() for part in parts) > MAX_COPIED_WEIGHTS or parts[0].weight.dtype in HALF_DTYPES:
        q, k, v = map(plain_linear_function, parts)
        return lambda x, out=None: torch.cat([q(x), k(x), v(x)], -1, out=out)
    turned = torch.cat([part.weight for part in parts]).t().contiguous()
    if parts[0].bias is None:
        return lambda x, out=None: torch.mm(x, turned, out=out)
    bias = torch.cat([part.bias for part in parts])
    return lambda x, out=None: torch.addmm(bias, x, turned, out=out)


def _norm_qk(attention: MultiHeadAttention) -> _TensorFunction | None:
    """Return the norm of queries and keys, computed for both at once."""
    norm_q, norm_k = attention.norm_q, attention.norm_k
    if not isinstance(norm_q, RMSNorm) or not isinstance(norm_k, RMSNorm):
        return None
    d_head, eps = (attention.d_head,), norm_q.eps
    if attention.qk_norm == "width":
        widths = [attention.n_head * attention.d_head, attention.n_kv_head * attention.d_head]

        def all_heads(x: Tensor) -> Tensor:
            parts = zip(x.flatten(-2).split(widths, -1), (norm_q.weight, norm_k.weight), strict=True)
            return torch.cat([torch.rms_norm(one, one.shape[-1:], gain, eps) for one, gain in parts], -1).view_as(x)

        return all_heads
    if norm_q.weight is None or norm_k.weight is None:
        return lambda x: torch.rms_norm(x, d_head, None, eps)
    gains = torch.cat(
        [norm_q.weight.expand(attention.n_head, -1), norm_k.weight.expand(attention.n_kv_head, -1)]
    )  # (H + G, K)
    return lambda x: torch.rms_norm(x, d_head, None, eps) * gains


def _gate(attention: MultiHeadAttention) -> _TensorFunction | None:
    """Return the gate of the heads' outputs."""
    if attention.w_g is None:
        return None
    w_g, n_head = plain_linear_function(attention.w_g), attention.n_head
    return lambda x: torch.sigmoid(w_g(x)).unflatten(-1, (n_head, -1))


def _mlp(mlp: nn.Module) -> _TensorFunction:
    if not isinstance(mlp, FeedForward):  # a mixture of experts, which runs only a few of them anyway
        return mlp
    bend, w_in, w_out = _NONLINEARITY[mlp.activation], plain_linear_function(mlp.w_in), plain_linear_function(mlp.w_out)
    if mlp.w_gate is None:
        return lambda x: w_out(bend(w_in(x)))
    w_gate = plain_linear_function(mlp.w_gate)
    return lambda x: w_out(bend(w_gate(x)) * w_in(x))


def plain_norm_function(norm: nn.Module) -> _TensorFunction:
    """Convert a norm of `core.nn.norms`, or return the identity."""
    if isinstance(norm, LayerNorm):
        shape, weight, bias, eps = (norm.weight.numel(),), norm.weight, norm.bias, norm.eps
        return lambda x: torch.layer_norm(x, shape, weight, bias, eps)
    if isinstance(norm, RMSNorm):
        gain, eps = norm.weight, norm.eps
        return lambda x: torch.rms_norm(x, x.shape[-1:], gain, eps)
    return _same


def plain_linear_function(linear: nn.Linear) -> _TensorFunction:
    """Convert a linear layer."""
    return _product(linear.weight, linear.bias)


def _product(weight: Tensor, bias: Tensor | None) -> _TensorFunction:
    """Return the function x W' + b, with the torch operation that is fastest for a few rows."""
    if weight.dtype in HALF_DTYPES:
        return partial(linear, weight=weight, bias=bias)
    if weight.device.type != "cpu" or weight.dtype != torch.float32:
        return partial(F.linear, weight=weight, bias=bias)
    if weight.numel() > MAX_COPIED_WEIGHTS and weight.is_contiguous():
        product = _one_dnn() or F.linear
        return lambda x: product(x, weight, bias)
    turned = weight.t().contiguous()  # (D_in, D_out): for few rows, the transposed matrix is read faster
    return (lambda x: torch.mm(x, turned)) if bias is None else (lambda x: torch.addmm(bias, x, turned))


@cache
def _one_dnn() -> Callable[[Tensor, Tensor, Tensor | None], Tensor] | None:
    """Return oneDNN's linear layer, which for few rows and large matrices is up to 1.7 times faster than F.linear.

    Returns None if this build of torch doesn't have it. The operation is internal to torch and may disappear, so it is
    tried once.
    """
    x, weight = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [5.0, 6.0]])
    try:
        product = torch.ops.mkldnn._linear_pointwise
        is_right = torch.equal(product(x, weight, None, "none", [], ""), F.linear(x, weight))
    except (AttributeError, RuntimeError, TypeError):
        return None
    return (lambda x, weight, bias: product(x, weight, bias, "none", [], "")) if is_right else None


def _same(x: Tensor) -> Tensor:
    return x
