"""How far two measurements of the same things agree: rankings of heads, and rows of attention."""

import numpy as np
from numpy.typing import ArrayLike


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: do two lists of numbers rank the same things alike?

    Take any two things. The lists agree on them if the one that is larger in the first list is larger in the second.
    Tau is the share of pairs that agree less the share that disagree: 1 is the same ranking, -1 the opposite one, 0 no
    relation. Pairs that are equal in a list count neither way, and its largest possible value is adapted to them.

    Returns:
        Tau, or nan where all numbers of a list are equal.

    Raises:
        ValueError: if the lists differ in length.

    Source: Kendall 1945; used to compare attention with other measures of importance in Jain and Wallace 2019
    (1902.10186), section 4.1.
    """
    a, b = np.asarray(x, dtype=np.float64).ravel(), np.asarray(y, dtype=np.float64).ravel()
    if len(a) != len(b):
        raise ValueError(f"{len(a)} numbers cannot be compared with {len(b)}")
    first, second = np.triu_indices(len(a), 1)
    sign_a, sign_b = np.sign(a[first] - a[second]), np.sign(b[first] - b[second])
    untied = np.sqrt(np.abs(sign_a).sum()) * np.sqrt(np.abs(sign_b).sum())
    return float((sign_a * sign_b).sum() / untied) if untied else float("nan")


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """How much of the weight lies elsewhere in two rows of attention: 0 is the same row, 1 nothing in common.

    Half the sum of the absolute differences; for two rows that sum to 1, the share that has to be moved to make one
    into the other.

    Source: Jain and Wallace 2019, equation 2.
    """
    return float(np.abs(np.asarray(p, dtype=np.float64) - np.asarray(q, dtype=np.float64)).sum() / 2)
