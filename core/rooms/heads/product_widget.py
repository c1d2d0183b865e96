"""One head's scores, and the coordinates that each is the sum of; see `assets/widgets/heads/product.js`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MOST_TOKENS = 128


def product(
    *,
    q: ArrayLike,
    k: ArrayLike,
    scores: ArrayLike,
    weights: ArrayLike,
    scale: float,
    tokens: Sequence[str],
    key: str,
    selected: tuple[int, int],
    mask: NDArray[np.bool_],
    bias: ArrayLike | None = None,
    label: str = "Scores",
) -> None:
    """Draw the scores of a head; the cell under the pointer is taken apart into its coordinates.

    Products, their sum, the scaled sum and the score are computed in the browser from q, k and the bias. It commits
    the cell that is clicked.

    Args:
        q, k: (T, K).
        scores, weights: (T, T) of the same head, before and after the softmax.
        scale: factor of the dot products.
        tokens: at most 128.
        selected: (query, key) taken apart while the pointer is elsewhere.
        mask: (T, T) True where a cell may be read.
        bias: (T, T) added to the scaled products, where the positions need one.

    Raises:
        ValueError: if the shapes do not match, or there are too many tokens.
    """
    n_token = len(tokens)
    if not 0 < n_token <= MOST_TOKENS:
        raise ValueError(f"{n_token} tokens; between 1 and {MOST_TOKENS} can be shown")
    given = {"q": q, "k": k, "scores": scores, "weights": weights} | ({} if bias is None else {"bias": bias})
    arrays: dict[str, NDArray[Any]] = {name: np.asarray(one, dtype=np.float32) for name, one in given.items()}
    for name, array in arrays.items():
        expected = (n_token, arrays["q"].shape[-1] if name in "qk" else n_token)
        if array.shape != expected:
            raise ValueError(f"{name} {array.shape} does not match {expected}")
    if not mask.all():
        arrays["empty"] = (~mask).astype(np.uint8)
    header = {
        "widget": "product",
        "rows": list(tokens),
        "columns": list(tokens),
        "scale": float(scale),
        "limit": float(np.abs(arrays["scores"][mask]).max(initial=0)) or 1.0,
        "selected": list(selected),
        "plain": not ui.at_least("numbers"),
        "label": label,
        "takeaway": f"{label}: {plural(n_token, 'query', 'queries')}, {plural(n_token, 'key')}.",
    }
    mount("product", key, pack(header, arrays), pick=None)
