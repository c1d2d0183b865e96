"""Draws that all our grammars make."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def one_of(options: Sequence[T], rng: np.random.Generator) -> T:
    """One of the options, each equally likely."""
    return options[int(rng.integers(len(options)))]
