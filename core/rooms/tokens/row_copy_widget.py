"""One row of a table, copied: a one-hot row, turned upright, beside the table, and the vector that slides out."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.browser.linked import Along, Chosen
from core.browser.message import pack
from core.ui.widgets.mount import index, mount


def copied(
    table: ArrayLike,
    *,
    entries: Sequence[str],
    tokens: Sequence[str],
    rows: Sequence[int],
    at: Chosen,
    key: str,
    label: str = "",
) -> None:
    """Draw the look-up of one token as a film; a click on another token plays it, and moves the choice.

    Args:
        table: (E, D) rows of the table that are shown.
        entries: (E,) what each row is called.
        tokens: (T,) of the text. rows: (T,) which row of the table is each token's.
        at: the token that is looked up, a choice of the page.

    Raises:
        ValueError: if the sizes do not match, or a row lies outside.
    """
    values = np.asarray(table, np.float32)
    if values.ndim != 2 or len(entries) != len(values) or len(tokens) != len(rows):
        raise ValueError(f"{len(entries)} entries and {len(rows)} rows of tokens do not match a table {values.shape}")
    if any(index(int(row), len(entries)) is None for row in rows):
        raise ValueError(f"one of the rows {list(rows)} lies outside")
    header = {
        "widget": "copied",
        "entries": list(entries),
        "tokens": list(tokens),
        "rows": [int(row) for row in rows],
        "at": at,
        "limit": float(np.abs(values).max()) or 1.0,
        "label": label,
        "takeaway": Along([_takeaway(entries, int(row)) for row in rows], (at.name,), at.ranges),
        "chooses": {"pick": at.name},
    }
    mount("copied", key, pack(header, {"table": values}))


def _takeaway(entries: Sequence[str], row: int) -> str:
    return (
        f"Of {len(entries)} rows of the table one is multiplied by 1, {entries[row]}: it comes out unchanged. All "
        "others are multiplied by 0."
    )
