"""How far two measurements of the same things agree: rankings of heads, and rows of attention."""

import numpy as np
from numpy.typing import ArrayLike


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: do two lists of numbers rank the same things alike?

    The share of pairs on which the lists agree which is larger, less the share on which they do not: 1 is the same
    ranking, -1 the opposite one, 0 no relation. Equal pairs count neither way; the largest value is adapted to them.

    Returns:
        Tau, or nan where all numbers of a list are equal.

    Raises:
        ValueError: if the lists differ in length.

    Source: Kendall 1945; used to compare attention with other measures of importance in Jain and Wallace 2019
    (1902.10186), section 4.1.
    """
    from scipy import stats  # type: ignore[import-untyped]  # here, because it takes half a second to import

    return float(stats.kendalltau(x, y).statistic)


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """How much of the weight lies elsewhere in two rows of attention: 0 is the same row, 1 nothing in common.

    Half the sum of the absolute differences; for two rows that sum to 1, the share that has to be moved to make one
    into the other.

    Source: Jain and Wallace 2019, equation 2.
    """
    return float(np.abs(np.asarray(p, dtype=np.float64) - np.asarray(q, dtype=np.float64)).sum() / 2)
