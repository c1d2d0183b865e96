"""The tables of keys and values as they grow, stepped through in the browser: `assets/widgets/cache/`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount


def cache_tables(
    keys: NDArray[np.floating],
    values: NDArray[np.floating],
    weights: NDArray[np.floating],
    *,
    tokens: Sequence[str],
    n_prompt: int,
    key: str,
    label: str,
) -> None:
    """Draw one head's table of keys and of values; each step lights its new row and the weights that read them all.

    Args:
        keys, values: (T, K) a row for each token that is read.
        weights: (T, T) row t: how the query of token t mixes the values.
        tokens: (T + 1,) the tokens that are read, and the one that is written last.
        n_prompt: the first so many are read in one step.
    """
    n_row = len(tokens) - 1
    header = {
        "widget": "cache_tables",
        "tokens": list(tokens),
        "n_prompt": n_prompt,
        "limits": [float(np.abs(one).max()) or 1.0 for one in (keys, values)],
        "label": label,
        "takeaway": f"{label}: a prompt of {plural(n_prompt, 'token')}, then {n_row - n_prompt} more, one by one.",
    }
    arrays = {name: one.astype(np.float32) for name, one in (("keys", keys), ("values", values), ("weights", weights))}
    mount("cache_tables", key, pack(header, arrays))
