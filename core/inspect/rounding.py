"""Whether a number of a model that should not move stays the same to the last bit, and what counts as moved."""

from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

SHARE = 1e-5  # of the largest number: 32-bit rounding through some layers stays below


def moved_by(model: nn.Module, after: Float[Tensor, "T N"], before: Float[Tensor, "T N"]) -> Float[Tensor, " T"]:
    """The largest change of a number at each position; 0 where none of them moves.

    In most models the same sums stand in the same order whatever other tokens are, so that not a bit changes. An expert
    adds up as many tokens as it is sent, and how many these are changes the rounding of all: there, changes of that
    size count as none.
    """
    change = (after - before).abs().amax(-1)
    if is_exact(model):
        return change
    return change.masked_fill(change <= SHARE * before.abs().max(), 0.0)


def is_exact(model: nn.Module) -> bool:
    """Whether what does not move stays the same to the last bit: not in a model with experts."""
    config: Any = getattr(model, "config", None)
    return getattr(config, "experts", None) is None
