"""A model with its weights rounded or shuffled."""

import copy
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

# Bits per weight for each kind of storage. 4 bits distinguish 15 values: zero, and 7 on either side.
STORAGE_BITS = {"stored": 32, "8 bits": 8, "4 bits": 4, "3 bits": 3, "2 bits": 2, "shuffled": 32}


def round_weights(weight: Float[Tensor, "..."], n_bit: int) -> Float[Tensor, "..."]:
    """Round each weight to the nearest of 2^n_bit - 1 evenly spaced values from -max|w| to max|w|."""
    levels = 2 ** (n_bit - 1) - 1
    step = (weight.abs().max() / levels).clamp(min=torch.finfo(weight.dtype).tiny)
    return (weight / step).round() * step


def shuffle_weights(weight: Float[Tensor, "..."], seed: int) -> Float[Tensor, "..."]:
    """Return the same numbers in a random order."""
    order = torch.randperm(weight.numel(), generator=torch.Generator().manual_seed(seed))
    return weight.flatten()[order].view_as(weight)


@torch.no_grad()
def alter_model(model: nn.Module, how: str, seed: int = 0) -> nn.Module:
    """Return a copy of the model with its weights altered, tensor by tensor, or the model itself if nothing changes.

    Args:
        how: one of `STORAGE_BITS`.
        seed: of the shuffling.
    """
    if how == "stored":
        return model
    copied = copy.deepcopy(model)
    for at, weight in enumerate(copied.parameters()):
        weight.copy_(
            shuffle_weights(weight, seed + at) if how == "shuffled" else round_weights(weight, STORAGE_BITS[how])
        )
    return copied


def pack_table_columns(
    shapes: Sequence[tuple[int, int]], named: Sequence[bool], high: int, gap: int, label: int
) -> list[tuple[int, int, int, int, int]]:
    """Lay tables out in columns of one height, in their order; a table that is too tall continues in the next column.

    Args:
        shapes: rows and width of each table.
        named: True for tables that need room for a name.
        high: height of a column.
        gap: space between two tables.
        label: height of a name.

    Returns:
        Pieces: the table, its first row in this piece, the number of rows, and the position x, y.
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
