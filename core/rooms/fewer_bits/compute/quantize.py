"""Weights in fewer bits: round each to the nearest of a few evenly spaced levels; store its level and the spacing.

    kept = quantize(weight, bits=4, scales="row")
    kept.levels             # whole numbers from -7 to 7
    kept.restored           # levels times their scale: the weights that a model then computes with

This is the simplest method: symmetric (0 is a level), scaled by the largest weight (absmax), rounded to the nearest
level, without any data. GPTQ (Frantar et al. 2022) uses the same grids, but lets later weights compensate for the
errors of earlier ones.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

SCALES = ("matrix", "row", "group")
GROUP_SIZE = 32  # adjacent weights in a row that share a scale


@dataclass(frozen=True)
class QuantizedMatrix:
    """A matrix in whole numbers."""

    levels: Int[Tensor, "d_out d_in"]  # (d_out, d_in) whole numbers, see `max_level`
    # the distance between two levels: (1, 1) for a matrix, (d_out, 1) for its rows, or (d_out, n_group) for groups. It
    # has the precision of bfloat16, so that it can be stored in two bytes.
    scale: Float[Tensor, "n_row n_group"]

    @property
    def restored(self) -> Float[Tensor, "d_out d_in"]:
        """The dequantized weights: levels times their scale."""
        return self.levels * _spread(self.scale, self.levels.shape[1])

    @property
    def n_scale(self) -> int:
        """The number of scales that are stored in addition to the levels."""
        return self.scale.numel()


def max_level(bits: int) -> int:
    """Return the highest level: 127, 7, 3 or 1 for 8, 4, 3 or 2 bits. The lowest is its negative; one code is unused.

    Raises ValueError if bits is not from 2 to 8.
    """
    if not 2 <= bits <= 8:
        raise ValueError(f"bits={bits} is not from 2 to 8")
    return int(2 ** (bits - 1)) - 1


def quantize(weight: Float[Tensor, "d_out d_in"], bits: int, scales: str = "row") -> QuantizedMatrix:
    """Round to the nearest level; the largest of the weights that share a scale gets the highest level.

    Therefore no weight moves by more than half its scale.

    Args:
        weight: a row for each output channel.
        bits: per weight, 2 to 8.
        scales: which weights share a scale: "matrix": all; "row": those of an output channel; "group": 32 adjacent ones
            in a row, fewer at its end.

    Raises ValueError if bits is not from 2 to 8, or scales is unknown.

    Source: Jacob et al. 2017 (1712.05877), section 2.1, with 0 as zero point; absmax: Dettmers et al. 2022
    (2208.07339), section 2.1.
    """
    most, weight = max_level(bits), weight.detach().float()
    if scales not in SCALES:
        raise ValueError(f"scales={scales!r} is not one of {', '.join(SCALES)}")
    size = weight.abs()
    if scales == "matrix":
        largest = size.amax().reshape(1, 1)
    elif scales == "row":
        largest = size.amax(1, keepdim=True)  # (d_out, 1)
    else:
        groups = F.pad(size, (0, -size.shape[1] % GROUP_SIZE)).unflatten(1, (-1, GROUP_SIZE))  # (d_out, n_group, 32)
        largest = groups.amax(-1)  # (d_out, n_group)
    return _rounded(weight, largest / most, most)


def quantize_by_mean(weight: Float[Tensor, "d_out d_in"]) -> QuantizedMatrix:
    """Round to the levels -1, 0 and 1; a row's scale is its mean absolute weight, and larger weights are clipped.

    Three values need log2(3) = 1.58 bits; stored in 2 bits, one code is unused.

    Source: Ma et al. 2024 (2402.17764), section 2, which uses one scale for the matrix.
    """
    weight = weight.detach().float()
    return _rounded(weight, weight.abs().mean(1, keepdim=True), 1)


def straight_through(weight: Float[Tensor, "d_out d_in"], kept: QuantizedMatrix) -> Float[Tensor, "d_out d_in"]:
    """Return the restored weights, with a gradient as if nothing had been rounded (a step function's would be 0).

    Source: Bengio et al. 2013 (1308.3432), section 4; in the forward pass of training: Jacob et al. 2017, section 3.
    """
    return weight + (kept.restored - weight).detach()


def _rounded(weight: Tensor, scale: Tensor, most: int) -> QuantizedMatrix:
    scale = scale.bfloat16().float()
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))  # if all weights are 0, any scale will do
    levels = (weight / _spread(scale, weight.shape[1])).round().clamp(-most, most)
    return QuantizedMatrix(levels.to(torch.int8), scale)


def _spread(scale: Float[Tensor, "n_row n_group"], d_in: int) -> Tensor:
    """Return the scale of each weight; if a whole row shares one, it is broadcast."""
    return scale if scale.shape[1] == 1 else scale.repeat_interleave(GROUP_SIZE, 1)[:, :d_in]
