"""A function that a learner writes: ours, the inputs that it is tried on, and the mistakes that people make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Generator

Outcome = dict[str, Any]


@dataclass(frozen=True)
class Exercise:
    """A function to write.

    Attributes:
        trial: calls a function on inputs from a generator, and gives what came out by name.
        right: ours.
        slips: what to say of a known mistake, and the function that makes it.
        tolerance: largest difference of a number.
    """

    trial: Callable[[Callable[..., Any], Generator], Outcome]
    right: Callable[..., Any]
    slips: Sequence[tuple[str, Callable[..., Any]]]
    tolerance: float = 1e-5


def size(generator: Generator, low: int, high: int) -> int:
    """A whole number within these."""
    return int(torch.randint(low, high + 1, (), generator=generator))
