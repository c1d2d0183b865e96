"""Linear layers and embeddings whose weights may have half the precision of what is computed with them.

Published models are stored in 16 bits. Kept so they take half the memory, and are widened only while they are used:
everything else is float32, the same numbers as if all of them had been widened at the start. It costs no time: reading
half as much memory makes up for the widening.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

HALF = (torch.bfloat16, torch.float16)
AT_ONCE = 2**22  # numbers that are widened at once: 16 MB, which a processor's cache holds


def linear(
    x: Float[Tensor, "*batch d_in"], weight: Float[Tensor, "d_out d_in"], bias: Float[Tensor, " d_out"] | None = None
) -> Float[Tensor, "*batch d_out"]:
    """x W' + b; where W has half the precision of x, it is widened, some rows after the other."""
    if weight.dtype not in HALF or x.dtype in HALF:
        return F.linear(x, weight, bias)
    parts = weight.split(max(1, AT_ONCE // weight.shape[1]))
    y = torch.cat([F.linear(x, part.to(x.dtype)) for part in parts], -1)
    return y if bias is None else y + bias


class Linear(nn.Linear):
    """x W' + b."""

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        return linear(x, self.weight, self.bias)


class Embedding(nn.Embedding):
    """A row for each id.

    Attributes:
        is_widened: whether rows of half precision are given as float32, so that all that follows is computed in it.
    """

    is_widened = False

    def forward(self, ids: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch D"]:
        rows = super().forward(ids)
        return rows.float() if self.is_widened else rows
