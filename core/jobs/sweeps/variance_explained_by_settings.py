"""The share of the variance between runs that a setting explains."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

MIN_RUNS_PER_VALUE = 3  # runs per value, on average, before a share of the variance is shown


def omega_squared(groups: Mapping[Any, Sequence[float]]) -> float | None:
    """Return omega squared, the share of the variance of scores between groups, corrected for chance.

    Args:
        groups: value of the setting -> scores of its runs.

    Returns a share from 0 to 1, or None if there are too few runs or all scores are equal.

    Source: Hays 1963, section 12.18.
    """
    scores = [score for some in groups.values() for score in some]
    n, k = len(scores), sum(bool(some) for some in groups.values())
    if k < 2 or n < MIN_RUNS_PER_VALUE * k:
        return None
    mean = fmean(scores)
    total = sum((score - mean) ** 2 for score in scores)
    within = sum((score - fmean(some)) ** 2 for some in groups.values() for score in some)
    noise = within / (n - k)
    if total + noise == 0:
        return None
    return round(max(0.0, (total - within - (k - 1) * noise) / (total + noise)), 3)
