"""Why attention divides by the square root of d_k: random vectors with the root, without it, and with it misplaced."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, Result, Table, memoize
from core.nn.attention import attend, attention_scores, masked_softmax

LABELS = module_labels(__name__)

Array = NDArray[np.float64]
N_QUERY, N_KEY = 256, 64
WIDEST = 512
WRONG_VERSIONS = {"outside": LABELS["version.outside"], "none": LABELS["version.none"]}
_WRITTEN = {"outside": r"\frac{\mathrm{softmax}(Q K^\top)}{\sqrt{d_k}}\,V", "none": r"\mathrm{softmax}(Q K^\top)\,V"}


class WidthRecord(NamedTuple):
    """Effects of a width d_k on the softmax; each field is (without the root, with the root).

    Args:
        jacobian: mean size of the softmax's Jacobian (Frobenius norm): how much the weights still move when the
            scores move a little. It is one factor of the gradient, not the gradient itself: see `query_gradients`.
    """

    d_k: int  # width of queries and keys
    variance: tuple[float, float]  # of all scores
    entropy: tuple[float, float]  # mean over the queries, in nats; the maximum is ln of the number of keys
    top: tuple[float, float]  # mean of each query's largest weight
    jacobian: tuple[float, float]
    # gradient_mean, gradient_median: over the queries, the length of the gradient at each query
    gradient_mean: tuple[float, float]
    gradient_median: tuple[float, float]
    saturated: tuple[float, float]  # share of the queries that put more than 99 % on one key


class RootRecord(Result):
    """Attention of T tokens computed three ways; the first axis is (right, root outside, no root)."""

    weights: Array  # (3, T, T) the factors of the values
    outputs: Array  # (3, T, K)
    reference: Array  # (T, K) torch's own scaled_dot_product_attention
    row_sum: Array  # (3,) mean sum of a row of weights
    error: Array  # (3,) length of the difference from the reference, as a share of the reference's length
    wrong: str  # one of `WRONG_VERSIONS`, shown next to the right one
    place: int  # index of the wrong one on the first axis

    @property
    def formula(self) -> str:
        d_k, beside = self.reference.shape[-1], LABELS["formula.beside"]
        return (
            rf"\begin{{gathered}} \text{{{beside}}}\quad {_WRITTEN[self.wrong]} \\[1ex]"
            rf"\frac{{1}}{{\sqrt{{{d_k}}}}} = {1 / math.sqrt(d_k):.4f} \end{{gathered}}"
        )

    def table(self) -> Table:
        """Return one row per version of the formula."""
        return {
            LABELS["column.formula"]: [LABELS["row.right"], LABELS["row.outside"], LABELS["row.none"]],
            LABELS["column.row_sum"]: self.row_sum.round(6).tolist(),
            LABELS["column.largest"]: self.weights.max((1, 2)).round(6).tolist(),
            LABELS["column.error"]: self.error.tolist(),
        }


def random_tensors(seed: int, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Draw independent standard normal tensors in float64, one after the other from the seed."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def random_attention_inputs(seed: int, d_k: int) -> list[Tensor]:
    """Draw 256 queries, 64 keys, values, and a gradient for each output.

    Each vector is the first d_k of 512 drawn numbers, so a wider vector only adds more of them.
    """
    rows = (N_QUERY, N_KEY, N_KEY, N_QUERY)
    return [one[..., :d_k] for one in random_tensors(seed, *[(1, 1, n, max(WIDEST, d_k)) for n in rows])]


@memoize(MAX_FIGURES)
def query_gradients(d_k: int, seed: int) -> tuple[Array, Array]:
    """Return the length of the gradient at each query, backpropagated through the whole of attention.

    Each query's output gets a gradient of length 1 on average, in a random direction.

    Returns:
        (256,) lengths (without the root, with the root).
    """
    q, k, v, sent = random_attention_inputs(seed, d_k)
    found = []
    for scale in (1.0, None):
        asked = q.clone().requires_grad_()
        attend(asked, k, v, scale=scale)[0].backward(sent / math.sqrt(d_k))
        assert asked.grad is not None
        found.append(asked.grad[0, 0].norm(dim=-1).numpy())
    return found[0], found[1]


@memoize(MAX_FIGURES)
def measure_width(d_k: int, seed: int) -> WidthRecord:
    """Measure variance, entropy, largest weight, Jacobian and gradients over random queries and keys of width d_k.

    Source: Vaswani et al. 2017, section 3.2.1 and footnote 4.
    """
    q, k, *_ = random_attention_inputs(seed, d_k)
    both = [attention_scores(q, k, scale=scale)[0, 0] for scale in (1.0, None)]  # (T, S) each
    weights = [masked_softmax(scores[None, None])[0, 0] for scores in both]
    gradients = query_gradients(d_k, seed)
    return WidthRecord(
        d_k=d_k,
        variance=_both([scores.var() for scores in both]),
        entropy=_both([torch.special.entr(p).sum(-1).mean() for p in weights]),
        top=_both([p.amax(-1).mean() for p in weights]),
        jacobian=_both([jacobian_size(p).mean() for p in weights]),
        gradient_mean=(float(gradients[0].mean()), float(gradients[1].mean())),
        gradient_median=(float(np.median(gradients[0])), float(np.median(gradients[1]))),
        saturated=_both([(p.amax(-1) > 0.99).double().mean() for p in weights]),
    )


def jacobian_size(p: Float[Tensor, "... S"]) -> Float[Tensor, "..."]:
    """Return the Frobenius norm of the softmax's Jacobian, diag(p) - p p^T, at the output p.

    It is 0 if one key has a weight of exactly 1: such a softmax no longer reacts to its scores, so no gradient gets
    through.
    """
    square, cube = p.square().sum(-1), p.pow(3).sum(-1)
    return (square - 2 * cube + square.square()).clamp_min(0).sqrt()


def one_query_weights(d_k: int, seed: int, query: int) -> tuple[Array, Array]:
    """Return the 64 weights of one random query: (without the root, with the root)."""
    q, k, *_ = random_attention_inputs(seed, d_k)
    pair = [masked_softmax(attention_scores(q[..., query : query + 1, :], k, scale=s))[0, 0, 0] for s in (1.0, None)]
    return pair[0].numpy(), pair[1].numpy()


class RaisedScores(NamedTuple):
    """(S,) the weights of a row before and after."""

    before: Array
    after: Array


def raise_scores(scores: Sequence[float], by: float) -> RaisedScores:
    """Return the softmax of some scores, and of the same scores all raised by the same amount."""
    row = torch.tensor(scores, dtype=torch.float64)[None, None, None]
    return RaisedScores(*(masked_softmax(one)[0, 0, 0].numpy() for one in (row, row + by)))


def compare_roots(d_k: int, seed: int, wrong: str = "outside") -> RootRecord:
    """Compute attention of the same random q, k and v with the right formula, with the root outside, and without it.

    right: softmax(q k^T / sqrt(d)) v; outside: softmax(q k^T) / sqrt(d) v; none: softmax(q k^T) v.
    """
    q, k, v = random_tensors(seed, *[(1, 1, 12, d_k)] * 3)
    right, weights = attend(q, k, v)
    bare, bare_weights = attend(q, k, v, scale=1.0)
    reference = F.scaled_dot_product_attention(q, k, v)[0, 0]
    all_weights = torch.stack([weights, bare_weights / math.sqrt(d_k), bare_weights])[:, 0, 0]
    outputs = torch.stack([right, bare / math.sqrt(d_k), bare])[:, 0, 0]
    return RootRecord(
        weights=all_weights.numpy(),
        outputs=outputs.numpy(),
        reference=reference.numpy(),
        row_sum=all_weights.sum(-1).mean(-1).numpy(),
        error=((outputs - reference).flatten(1).norm(dim=1) / reference.norm()).numpy(),
        wrong=wrong,
        place=1 + list(WRONG_VERSIONS).index(wrong),
    )


def _both(pair: Sequence[Tensor]) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])
