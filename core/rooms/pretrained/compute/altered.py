"""What is left of a model when its numbers are rounded, or stand in another order."""

import copy
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

# How each number is stored: the bits that it takes. 4 bits tell 15 values apart: 7 on either side of zero, and zero.
BITS = {"stored": 32, "8 bits": 8, "4 bits": 4, "3 bits": 3, "2 bits": 2, "shuffled": 32}


def rounded(weight: Float[Tensor, "..."], n_bit: int) -> Float[Tensor, "..."]:
    """Each number as the nearest of 2^n_bit - 1 evenly spaced values, the largest size of the tensor at either end."""
    levels = 2 ** (n_bit - 1) - 1
    step = (weight.abs().max() / levels).clamp(min=torch.finfo(weight.dtype).tiny)
    return (weight / step).round() * step


def shuffled(weight: Float[Tensor, "..."], seed: int) -> Float[Tensor, "..."]:
    """The same numbers in another order."""
    order = torch.randperm(weight.numel(), generator=torch.Generator().manual_seed(seed))
    return weight.flatten()[order].view_as(weight)


@torch.no_grad()
def altered(model: nn.Module, how: str, seed: int = 0) -> nn.Module:
    """A copy of the model with its numbers altered, tensor by tensor; the model itself where nothing changes.

    Args:
        how: of `BITS`.
        seed: of the shuffling.
    """
    if how == "stored":
        return model
    copied = copy.deepcopy(model)
    for at, weight in enumerate(copied.parameters()):
        weight.copy_(shuffled(weight, seed + at) if how == "shuffled" else rounded(weight, BITS[how]))
    return copied


def columns(
    shapes: Sequence[tuple[int, int]], named: Sequence[bool], high: int, gap: int, label: int
) -> list[tuple[int, int, int, int, int]]:
    """Tables in columns of one height, in their order; a table that is too tall goes on in the next column.

    Args:
        shapes: rows and width of each.
        named: whether it needs room for its name.
        high: of a column.
        gap: between two.
        label: the room for a name.

    Returns:
        Pieces: the table, its first row here, how many rows, and where: x, y.
    """
    pieces, x, y, wide = [], 0, 0, 0
    for at, (n_row, width) in enumerate(shapes):
        first, above = 0, label if named[at] else 0
        while first < n_row:
            if y and y + above + n_row - first > high:
                x, y, wide = x + wide + gap, 0, 0
            n = min(n_row - first, max(1, high - above))
            pieces.append((at, first, n, x, y + above))
            first, y, wide = first + n, y + above + n + gap, max(wide, width)
    return pieces
