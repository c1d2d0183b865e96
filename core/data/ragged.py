"""Rows of unequal length as one tensor."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def padded(rows: Sequence[Sequence[int]], fill: int = 0) -> tuple[Int[Tensor, "B S"], Bool[Tensor, "B S"]]:
    """Rows filled up at their ends, and True where there is a token."""
    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])
    return ids, torch.arange(longest) < torch.tensor([[len(row)] for row in rows])
