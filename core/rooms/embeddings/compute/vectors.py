"""Two vectors compared in every way that is easily confused: dot product, cosine, lengths, angle, distance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pair:
    """How two vectors stand to each other."""

    dot: float  # sum of the products of their numbers; has no limits
    lengths: tuple[float, float]  # of the first and the second
    cosine: float  # dot divided by both lengths, -1 to 1; nan where one has no length
    angle: float  # in degrees, 0 to 180; nan where one has no length
    distance: float  # the length of their difference


def compare(q: Sequence[float], k: Sequence[float]) -> Pair:
    """Compare two vectors of the same width.

    Raises:
        ValueError: if their widths differ.
    """
    if len(q) != len(k):
        raise ValueError(f"vectors of {len(q)} and {len(k)} numbers cannot be multiplied")
    dot = sum(a * b for a, b in zip(q, k, strict=True))
    lengths = math.hypot(*q), math.hypot(*k)
    both = lengths[0] * lengths[1]
    cosine = max(-1.0, min(1.0, dot / both)) if both > 0 else math.nan
    return Pair(dot, lengths, cosine, math.degrees(math.acos(cosine)) if both > 0 else math.nan, math.dist(q, k))


def pair_table(pairs: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> dict[str, list[Any]]:
    """One line for each pair of vectors in the plane."""
    compared = [compare(q, k) for _, q, k in pairs]
    return {
        "example": [name for name, _, _ in pairs],
        "q": [f"({q[0]:g}, {q[1]:g})" for _, q, _ in pairs],
        "k": [f"({k[0]:g}, {k[1]:g})" for _, _, k in pairs],
        "dot product": [round(pair.dot, 4) for pair in compared],
        "cosine": [round(pair.cosine, 4) for pair in compared],
        "length of q": [round(pair.lengths[0], 4) for pair in compared],
        "length of k": [round(pair.lengths[1], 4) for pair in compared],
        "angle": [round(pair.angle, 2) for pair in compared],
        "distance": [round(pair.distance, 4) for pair in compared],
    }
