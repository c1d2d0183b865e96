"""Positions that are added to the scores: ALiBi's straight lines and T5's buckets, as plain arrays."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.nn.attention import masked_softmax
from core.nn.masks import causal
from core.nn.positions import alibi_bias, alibi_slopes, relative_buckets

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Alibi:
    """ALiBi for a number of heads, on a text where every score is 0 before the bias."""

    slopes: NDArray[np.float32]  # (H,)
    bias: NDArray[np.float32]  # (H, T, T) added to the scores
    # (H, T, T) causal softmax of the bias alone: how far each head looks back when nothing else counts
    weights: NDArray[np.float32]
    half: NDArray[np.float64]  # (H,) tokens of distance at which a weight has fallen to half, ln 2 / slope
    head: int = 0  # the one that is looked at

    @property
    def written(self) -> list[str]:
        """The slopes as people write them."""
        return [as_power(float(slope)) for slope in self.slopes]

    @property
    def formula(self) -> str:
        return (
            rf"\begin{{gathered}} \text{{head }} {self.head}: \text{{ slope}} = {float(self.slopes[self.head]):.6g} "
            rf"\\[1ex] \text{{a weight halves every }} \frac{{\ln 2}}{{\text{{slope}}}} = {self.half[self.head]:.1f} "
            r"\text{ tokens} \end{gathered}"
        )

    def table(self) -> dict[str, Any]:
        """One line for each head."""
        return {
            "head": list(range(len(self.slopes))),
            "slope": self.slopes.tolist(),
            "as a fraction": self.written,
            "a weight halves every … tokens": self.half.round(2).tolist(),
        }


def alibi(n_head: int, n_token: int, head: int = 0) -> Alibi:
    """The biases of the paper's slopes.

    Source: Press et al. 2021, section 3.
    """
    slopes, bias = alibi_slopes(n_head), alibi_bias(n_head, n_token, n_token)
    weights = masked_softmax(bias[None], causal(n_token))[0]
    half = math.log(2) / slopes.double().numpy()
    return Alibi(slopes.numpy(), bias.numpy(), weights.numpy(), half, head)


def as_power(slope: float) -> str:
    """A slope as people write it: 1/256 for a power of two, else four digits."""
    fraction = Fraction(slope).limit_denominator(1 << 16)
    if fraction.numerator == 1 and float(fraction) == slope:
        return f"1/{fraction.denominator}"
    return f"{slope:.4f}"


@dataclass(frozen=True)
class Bucket:
    """Offsets that share one learned number: key minus query from `low` to `high`."""

    number: int
    low: int
    high: int


def buckets_by_offset(furthest: int, bidirectional: bool, n_bucket: int, max_distance: int) -> IntArray:
    """T5's bucket of every offset from -furthest to furthest: (2 furthest + 1,)."""
    offsets = torch.arange(-furthest, furthest + 1)
    found: IntArray = relative_buckets(offsets, bidirectional, n_bucket, max_distance).numpy()
    return found


def runs(numbers: IntArray, first: int) -> tuple[Bucket, ...]:
    """Neighbouring offsets of equal bucket, in the order of the offsets.

    Args:
        numbers: (N,) the bucket of each offset.
        first: the offset of numbers[0].
    """
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return tuple(Bucket(int(numbers[a]), first + a, first + b - 1) for a, b in pairwise(starts))
