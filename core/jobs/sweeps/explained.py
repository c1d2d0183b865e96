"""How much of the spread between runs a setting explains."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

FOR_A_VALUE = 3  # runs on average, before a share of the spread is told


def explained(groups: Mapping[Any, Sequence[float]]) -> float | None:
    """Omega squared: the part of the variance of scores that lies between groups and is more than chance gives.

    Args:
        groups: value of the setting -> scores of its runs.

    Returns a share from 0 to 1; None where too few runs say so, or all are equal.

    Source: Hays 1963, section 12.18.
    """
    scores = [score for some in groups.values() for score in some]
    n, k = len(scores), sum(bool(some) for some in groups.values())
    if k < 2 or n < FOR_A_VALUE * k:
        return None
    mean = fmean(scores)
    total = sum((score - mean) ** 2 for score in scores)
    within = sum((score - fmean(some)) ** 2 for some in groups.values() for score in some)
    noise = within / (n - k)
    if total + noise == 0:
        return None
    return round(max(0.0, (total - within - (k - 1) * noise) / (total + noise)), 3)
