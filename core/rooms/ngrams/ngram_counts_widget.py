"""A table of counts to read cell by cell: pairs never seen are empty, and a click tells where one stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.ui.widgets.message import pack
from core.ui.widgets.mount import index, mount

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
    rows: Sequence[str],
    columns: Sequence[str],
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
        counts: (R, C) whole numbers; 0 is drawn empty.
        totals: (R,) sums of the rows over all tokens, also those without a column.
        rows, columns: R tokens read first and C that follow.
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
    shape = (len(rows), len(columns))
    if counts.shape != shape or totals.shape != shape[:1] or not 0 < min(shape) <= max(shape) <= MAX_TOKENS:
        raise ValueError(f"counts {counts.shape} and totals {totals.shape} do not match {shape} tokens")
    header = {
        "widget": "ngram_counts",
        "rows": list(rows),
        "columns": list(columns),
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
    row, column = index(pick.get("row"), shape[0]), index(pick.get("column"), shape[1])
    return None if row is None or column is None else (row, column)
