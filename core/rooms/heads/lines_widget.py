"""Attention as lines between two columns of tokens; see `assets/widgets/heads/lines.js`."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.ui.text import plural
from core.ui.widgets.message import as_levels, pack
from core.ui.widgets.mount import index, mount

MOST_TOKENS = 64  # so many rows of readable letters make a picture of about 1,100 pixels


def lines(
    weights: ArrayLike,
    *,
    tokens: Sequence[str],
    key: str,
    open_head: tuple[int, int],
    columns: Sequence[str] | None = None,
    threshold: float = 0.1,
    row_title: str = "reading",
    column_title: str = "read from",
    label: str = "",
    takeaway: str = "",
) -> int | None:
    """Draw any set of heads as lines from each query to its keys; thickness is weight, color is the head.

    All heads are sent once, one byte for each weight. Heads are switched on and off in the browser; the open head is
    on at first, and the picture follows it until the person has chosen heads.

    Args:
        weights: (L, H, T, S) between 0 and 1; masked cells 0.
        tokens: the T tokens that ask; `columns` the S that are read, where they differ. At most 64.
        open_head: (layer, head).
        threshold: weaker lines are hidden at first.

    Returns:
        The query whose token was clicked last, or None.

    Raises:
        ValueError: if a shape does not match, a weight is outside 0..1, or there are too many tokens.
    """
    array = np.asarray(weights)
    keys = list(tokens if columns is None else columns)
    if array.ndim != 4 or array.shape[2:] != (len(tokens), len(keys)):
        raise ValueError(f"weights {array.shape} do not match (L, H, {len(tokens)}, {len(keys)})")
    if max(array.shape[2:]) > MOST_TOKENS:
        raise ValueError(f"{max(array.shape[2:])} tokens are more than the {MOST_TOKENS} that lines can show")
    if index(open_head[0], array.shape[0]) is None or index(open_head[1], array.shape[1]) is None:
        raise ValueError(f"there is no head {open_head} among {array.shape[:2]}")
    n_layer, n_head = array.shape[:2]
    header = {
        "widget": "lines",
        "rows": list(tokens),
        "columns": keys,
        "open": list(open_head),
        "threshold": threshold,
        "row_title": row_title,
        "column_title": column_title,
        "label": label,
        "takeaway": takeaway
        or f"{label or 'Attention as lines'}: {plural(n_layer, 'layer')} of {plural(n_head, 'head')} over "
        f"{plural(len(tokens), 'token')}.",
    }
    state = mount("lines", key, pack(header, {"weights": as_levels(array)}), pick=None)
    pick = state.get("pick")
    return index(pick.get("row"), len(tokens)) if isinstance(pick, Mapping) else None
