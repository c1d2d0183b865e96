"""One head's scores, and the coordinates that each is the sum of; see `assets/widgets/heads/product.js`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import index, mount

MOST_CELLS = 128 * 128


def product(
    q: ArrayLike,
    k: ArrayLike,
    *,
    scores: ArrayLike,
    weights: ArrayLike,
    scale: float,
    rows: Sequence[str],
    columns: Sequence[str],
    key: str,
    selected: tuple[int, int],
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    label: str = "",
    takeaway: str = "",
) -> tuple[int, int] | None:
    """Draw the scores of a head; the cell under the pointer is taken apart into its coordinates.

    Products, their sum, the scaled sum and the score are computed in the browser from q, k and the bias.

    Args:
        q, k: (T, K) and (S, K).
        scores, weights: (T, S) of the same head, before and after the softmax.
        scale: factor of the dot products.
        rows, columns: T and S tokens; at most 128 x 128 cells.
        selected: (query, key) taken apart while the pointer is elsewhere.
        bias: (T, S) added to the scaled products, where the positions need one.
        mask: (T, S) booleans, True where a cell may be read.

    Returns:
        (query, key) of the last click, or None.

    Raises:
        ValueError: if the shapes do not match, or there are too many cells.
    """
    shape = (len(rows), len(columns))
    if not 0 < shape[0] * shape[1] <= MOST_CELLS:
        raise ValueError(f"{shape[0] * shape[1]} cells; between 1 and {MOST_CELLS} can be shown")
    arrays: dict[str, NDArray[Any]] = {
        "q": np.asarray(q, dtype=np.float32),
        "k": np.asarray(k, dtype=np.float32),
        "scores": np.asarray(scores, dtype=np.float32),
        "weights": np.asarray(weights, dtype=np.float32),
    }
    if bias is not None:
        arrays["bias"] = np.asarray(bias, dtype=np.float32)
    d_head = arrays["q"].shape[-1]
    expected = {"q": (shape[0], d_head), "k": (shape[1], d_head)}
    for name, array in arrays.items():
        if array.shape != expected.get(name, shape):
            raise ValueError(f"{name} {array.shape} does not match {expected.get(name, shape)}")
    open_cells = np.ones(shape, bool) if mask is None else np.asarray(mask, dtype=bool)
    if not open_cells.all():
        arrays["empty"] = (~open_cells).astype(np.uint8)
    header = {
        "widget": "product",
        "rows": list(rows),
        "columns": list(columns),
        "scale": float(scale),
        "limit": float(np.abs(arrays["scores"][open_cells]).max(initial=0)) or 1.0,
        "selected": list(selected),
        "plain": not ui.at_least("numbers"),
        "label": label,
        "takeaway": takeaway
        or f"{label or 'Scores'}: {plural(shape[0], 'query', 'queries')}, {plural(shape[1], 'key')}.",
    }
    state = mount("product", key, pack(header, arrays), pick=None)
    pick = state.get("pick")
    if not isinstance(pick, Mapping):
        return None
    row, column = index(pick.get("row"), shape[0]), index(pick.get("column"), shape[1])
    return None if row is None or column is None else (row, column)
