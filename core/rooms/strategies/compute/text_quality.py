"""Numbers about a written text that need no second model: how varied it is, how often it repeats itself.

None of them says whether a text is good. Greedy and beam search score best on the model's own probability and often
worst on the other two.
"""

import math
from collections.abc import Sequence


def distinct(ids: Sequence[int], n: int = 2) -> float:
    """Share of different runs of n tokens among all runs of n tokens; nan for a text shorter than n.

    Args:
        ids: the written tokens alone, without the prompt.
        n: length of the runs; distinct-2 is the usual one.

    Source: Li et al. 2015 (1510.03055), section 5.2; divided by the runs and not by the tokens, so that a text without
        any repetition has 1.
    """
    runs = [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]
    return len(set(runs)) / len(runs) if runs else math.nan


def repeated(ids: Sequence[int], n: int = 4) -> float:
    """Share of the runs of n tokens that have occurred before in the text: 1 - distinct.

    Source: Welleck et al. 2019 (1908.04319), section 6, "seq-rep-n".
    """
    return 1 - distinct(ids, n)
