"""A table of counts to read cell by cell: pairs never seen are empty, and a click tells where one stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.ui.framing import pack
from core.ui.mount import index, mount

MAX_TOKENS = 60  # more rows than a screen shows at once cannot be compared
Shows = Literal["counts", "probabilities"]


@dataclass(frozen=True)
class Found:
    """One place in the text: the pieces before, the n-gram itself, the pieces after."""

    position: int
    before: Sequence[str]
    found: Sequence[str]
    after: Sequence[str]


def ngram_counts(
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    *,
    tokens: Sequence[str],
    key: str,
    shows: Shows = "counts",
    sums: bool = False,
    first: str | None = None,
    selected: tuple[int, int] | None = None,
    found: Sequence[Found] = (),
    label: str = "",
    takeaway: str = "",
) -> tuple[int, int] | None:
    """Draw how often each token follows each.

    Args:
        counts: (N, N) whole numbers; 0 is drawn empty.
        totals: (N,) sums of the rows over all tokens, also those without a column.
        tokens: N strings, for rows and columns.
        shows: what the cells say; counts have logarithmic colors.
        sums: whether the rest of each row and its sum stand beside it.
        first: the token before each row, for triples.
        selected: the cell whose places are told.
        found: the places, the first few.

    Returns:
        (row, column) of the last click, or None.

    Raises:
        ValueError: if the shapes do not match.
    """
    n = len(tokens)
    if counts.shape != (n, n) or totals.shape != (n,) or not 0 < n <= MAX_TOKENS:
        raise ValueError(f"counts {counts.shape} and totals {totals.shape} do not match {n} tokens")
    header = {
        "widget": "ngram_counts",
        "tokens": list(tokens),
        "shows": shows,
        "sums": sums,
        "first": first,
        "selected": None if selected is None else list(selected),
        "found": [
            {
                "position": one.position,
                "before": list(one.before),
                "found": list(one.found),
                "after": list(one.after),
            }
            for one in found
        ],
        "label": label,
        "takeaway": takeaway,
    }
    arrays = {"counts": counts.astype(np.uint32), "totals": totals.astype(np.uint32)}
    pick = mount("ngram_counts", key, pack(header, arrays), pick=None).get("pick")
    if not isinstance(pick, dict):
        return None
    row, column = index(pick.get("row"), n), index(pick.get("column"), n)
    return None if row is None or column is None else (row, column)
