"""How two heads come to work together: one keeps, at each token, the token before; another looks for it later.

To continue "A B … A", a head at the second "A" has to find "B". It looks for a token whose predecessor is "A", and it
can only if an earlier layer has written that predecessor down.
"""

import numpy as np
from numpy.typing import NDArray


def previous_scores(weights: NDArray[np.floating], period: int) -> NDArray[np.float64]:
    """Previous-token score over the first time: mean weight of tokens 1 .. period - 1 on the token right before.

    The first time alone, for it is there that later tokens look up what came before what. When the tokens come again,
    the same can be read at two places.

    Args:
        weights: (..., T, T) of a sequence whose first `period` tokens differ and then come again.
        period: after how many tokens they come again.

    Returns:
        (...) within 0 to 1.

    Raises:
        ValueError: if there are not two times `period` tokens, or the period is 1.
    """
    _check(weights, period)
    queries = np.arange(1, period)
    return np.asarray(weights, dtype=np.float64)[..., queries, queries - 1].mean(-1)


def induction_scores(weights: NDArray[np.floating], period: int) -> NDArray[np.float64]:
    """Induction score: mean weight, the second time, on the token that followed the first time.

    The last token is counted too: what followed it the first time is the token at which the second time begins.

    Args:
        weights, period: as in `previous_scores`.

    Returns:
        (...) within 0 to 1.

    Source: Olsson et al. 2022 (2209.11895), "prefix matching".
    """
    _check(weights, period)
    queries = np.arange(period, 2 * period)
    return np.asarray(weights, dtype=np.float64)[..., queries, queries - period + 1].mean(-1)


def _check(weights: NDArray[np.floating], period: int) -> None:
    if period < 2 or weights.shape[-2:] != (2 * period, 2 * period):
        raise ValueError(f"weights {weights.shape} are not those of {period} tokens that come twice")
