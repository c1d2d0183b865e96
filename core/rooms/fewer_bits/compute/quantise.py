"""Weights in fewer bits: round each to the nearest of a few evenly spaced levels; keep its level and the spacing.

    kept = quantise(weight, bits=4, scales="row")
    kept.levels             # whole numbers from -7 to 7
    kept.restored           # levels times their scale: what a model then computes with

This is the plainest way: symmetric (0 is a level), by the largest weight (absmax), to the nearest level, without any
data. GPTQ (Frantar et al. 2022) keeps the same grids, but lets later weights make up for the errors of earlier ones.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

SCALES = ("matrix", "row", "group")
GROUP = 32  # weights beside each other in a row that share a scale


@dataclass(frozen=True)
class Quantised:
    """A matrix in whole numbers."""

    levels: Int[Tensor, "d_out d_in"]  # (d_out, d_in) whole numbers, see `most_level`
    # the distance between two levels: (1, 1) of a matrix, (d_out, 1) of its rows, or (d_out, n_group). It has the
    # precision of bfloat16, so that it can be kept in two bytes.
    scale: Float[Tensor, "n_row n_group"]

    @property
    def restored(self) -> Float[Tensor, "d_out d_in"]:
        """The weights that come back."""
        return self.levels * _spread(self.scale, self.levels.shape[1])

    @property
    def n_scale(self) -> int:
        """Numbers that are kept beside the levels."""
        return self.scale.numel()


def most_level(bits: int) -> int:
    """The highest level: 127, 7, 3 or 1 for 8, 4, 3 or 2 bits. As many lie below 0: one pattern of bits stays unused.

    Raises ValueError if bits is not from 2 to 8.
    """
    if not 2 <= bits <= 8:
        raise ValueError(f"bits={bits} is not from 2 to 8")
    return int(2 ** (bits - 1)) - 1


def quantise(weight: Float[Tensor, "d_out d_in"], bits: int, scales: str = "row") -> Quantised:
    """Round to the nearest level; of the weights that share a scale, the largest is at the highest level.

    So no weight moves by more than half its scale.

    Args:
        weight: a row for each output channel.
        bits: of each weight, 2 to 8.
        scales: who shares a scale: "matrix": all weights; "row": those of an output channel; "group": 32 that stand
            beside each other in a row, fewer at its end.

    Raises ValueError if bits is not from 2 to 8, or scales is unknown.

    Source: Jacob et al. 2017 (1712.05877), section 2.1, with 0 as zero point; absmax: Dettmers et al. 2022
    (2208.07339), section 2.1.
    """
    most, weight = most_level(bits), weight.detach().float()
    if scales not in SCALES:
        raise ValueError(f"scales={scales!r} is none of {', '.join(SCALES)}")
    size = weight.abs()
    if scales == "matrix":
        largest = size.amax().reshape(1, 1)
    elif scales == "row":
        largest = size.amax(1, keepdim=True)  # (d_out, 1)
    else:
        largest = F.pad(size, (0, -size.shape[1] % GROUP)).unflatten(1, (-1, GROUP)).amax(-1)  # (d_out, n_group)
    return _rounded(weight, largest / most, most)


def quantise_by_mean(weight: Float[Tensor, "d_out d_in"]) -> Quantised:
    """Levels -1, 0 and 1; a row's scale is the mean of its weights without their signs, and larger ones are cut off.

    Three values need log2(3) = 1.58 bits; kept in 2, one pattern stays unused.

    Source: Ma et al. 2024 (2402.17764), section 2, which has one scale for the matrix.
    """
    weight = weight.detach().float()
    return _rounded(weight, weight.abs().mean(1, keepdim=True), 1)


def straight_through(weight: Float[Tensor, "d_out d_in"], kept: Quantised) -> Float[Tensor, "d_out d_in"]:
    """The restored weights, with a gradient as if nothing had been rounded: of a step function it would be 0.

    Source: Bengio et al. 2013 (1308.3432), section 4; in the forward pass of a training: Jacob et al. 2017, section 3.
    """
    return weight + (kept.restored - weight).detach()


def _rounded(weight: Tensor, scale: Tensor, most: int) -> Quantised:
    scale = scale.bfloat16().float()
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))  # where all weights are 0, any scale will do
    levels = (weight / _spread(scale, weight.shape[1])).round().clamp(-most, most)
    return Quantised(levels.to(torch.int8), scale)


def _spread(scale: Float[Tensor, "n_row n_group"], d_in: int) -> Tensor:
    """The scale of each weight; of a whole row, one number for all."""
    return scale if scale.shape[1] == 1 else scale.repeat_interleave(GROUP, 1)[:, :d_in]
