"""A table of counts to read cell by cell: pairs never seen are empty, and a click tells where one stands."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.browser.message import pack
from core.rooms.ngrams.compute.counting import Place
from core.ui.widgets.mount import mount

MAX_TOKENS = 60  # more rows than a screen shows at once cannot be compared


def ngram_counts(
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    key: str,
    shows: Any = "counts",
    sums: bool = False,
    first: str | None = None,
    selected: tuple[int, int] | None = None,
    found: Sequence[Place] = (),
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw how often each token follows each.

    Args:
        counts: (R, C) whole numbers; 0 is drawn empty.
        totals: (R,) sums of the rows over all tokens, also those without a column.
        rows, columns: R tokens read first and C that follow.
        shows: what the cells say, "counts" or "probabilities"; counts have logarithmic colors. It may be a choice of
            the page, see `core.browser.linked`.
        sums: whether the rest of each row and its sum stand beside it.
        first: the token before each row, for triples.
        selected: the cell whose places are told.
        found: the places, the first few.

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
        "found": [asdict(one) for one in found],
        "label": label,
        "takeaway": takeaway,
    }
    arrays = {"counts": counts.astype(np.uint32), "totals": totals.astype(np.uint32)}
    mount("ngram_counts", key, pack(header, arrays), pick=None)
