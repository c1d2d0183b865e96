"""The browser widget of a batch with gaps: each token as the model reads it, what became of it, and what is asked."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MAX_ROWS, MAX_TOKENS = 16, 64


def masking(
    read: Sequence[Sequence[str]],
    truth: Sequence[Sequence[str]],
    fate: ArrayLike,
    never: ArrayLike,
    *,
    key: str,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the rows of a batch; colors and letters tell the fate of each token.

    Args:
        read: B rows of T tokens, as the model reads them.
        truth: the tokens of the text.
        fate: (B, T) 0 not chosen, 1 masked, 2 replaced, 3 chosen and left unchanged.
        never: (B, T) True where a token is never chosen: special ones and padding.
        key: names the instance.

    Raises:
        ValueError: if the shapes differ, or there is too much to draw.
    """
    fates, fixed = np.asarray(fate, dtype=np.uint8), np.asarray(never, dtype=np.uint8)
    n_row, n_token = fates.shape
    if n_row > MAX_ROWS or n_token > MAX_TOKENS:
        raise ValueError(f"{n_row} rows of {n_token} tokens; at most {MAX_ROWS} of {MAX_TOKENS} can be shown")
    if fixed.shape != fates.shape or any([len(row) for row in rows] != [n_token] * n_row for rows in (read, truth)):
        raise ValueError(f"tokens, fates {fates.shape} and special tokens {fixed.shape} do not match")
    header: dict[str, Any] = {
        "widget": "masking",
        "read": [list(row) for row in read],
        "truth": [list(row) for row in truth],
        "label": label,
        "takeaway": takeaway,
    }
    mount("masking", key, pack(header, {"fate": fates, "never": fixed}))
