"""The tables of keys and values as they grow, stepped through in the browser: `assets/widgets/cache/`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MOST_ROWS = 128  # as many as can still be told apart one below the other


def cache_tables(
    keys: NDArray[np.floating],
    values: NDArray[np.floating],
    weights: NDArray[np.floating],
    *,
    tokens: Sequence[str],
    n_prompt: int,
    key: str,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw one head's table of keys and of values; each step lights its new row and the weights that read them all.

    Args:
        keys, values: (T, K) a row for each token that is read.
        weights: (T, T) row t: how the query of token t mixes the values.
        tokens: (T + 1,) the tokens that are read, and the one that is written last.
        n_prompt: the first so many are read in one step.

    Raises:
        ValueError: if the shapes do not match, there are too many rows, or the prompt is empty or longer than the text.
    """
    n_row = len(tokens) - 1
    if keys.shape != values.shape or len(keys) != n_row or weights.shape != (n_row, n_row):
        raise ValueError(f"keys {keys.shape}, values {values.shape}, weights {weights.shape} for {n_row} rows")
    if not 1 <= n_prompt <= n_row <= MOST_ROWS:
        raise ValueError(f"a prompt of {n_prompt} in {n_row} rows; there must be 1 or more, and at most {MOST_ROWS}")
    header = {
        "widget": "cache_tables",
        "tokens": list(tokens),
        "n_prompt": n_prompt,
        "limits": [float(np.abs(one).max()) or 1.0 for one in (keys, values)],
        "label": label,
        "takeaway": takeaway
        or f"{label or 'Keys and values'}: a prompt of {plural(n_prompt, 'token')}, then "
        f"{n_row - n_prompt} more, one by one.",
    }
    arrays = {name: one.astype(np.float32) for name, one in (("keys", keys), ("values", values), ("weights", weights))}
    mount("cache_tables", key, pack(header, arrays))
