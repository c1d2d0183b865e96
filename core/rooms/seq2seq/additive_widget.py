"""The weights of additive attention, each taken apart into its energy; see `assets/widgets/seq2seq/additive.js`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount


def additive(
    weights: ArrayLike,
    *,
    asked: ArrayLike,
    read: ArrayLike,
    v: ArrayLike,
    states: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    selected: tuple[int, int],
    key: str,
    plain: bool = False,
    truth: ArrayLike | None = None,
    label: str = "",
) -> None:
    """Draw the weights; the cell under the pointer is taken apart in the browser, and a click commits it.

    Args:
        weights: (T, S), rows sum to 1.
        asked: (T, H) W s of each output token; read: (S, H) U h of each source token; v: (H,).
        states: (S, D) what the weights mix.
        rows, columns: T output and S source tokens.
        selected: the cell taken apart while the pointer is elsewhere.
        plain: whether words stand for the symbols, and the sums are left out.
        truth: (T, S) booleans, drawn as rings: the letter to be written.
    """
    given = {"weights": weights, "asked": asked, "read": read, "v": v, "states": states}
    arrays: dict[str, NDArray[Any]] = {name: np.asarray(values, np.float32) for name, values in given.items()}
    if truth is not None:
        arrays["truth"] = np.asarray(truth).astype(np.uint8)
    header: dict[str, Any] = {
        "widget": "additive",
        "rows": list(rows),
        "columns": list(columns),
        "selected": list(selected),
        "plain": plain,
        "truth_title": "the letter to be written",
        "label": label,
        "takeaway": f"{label}: {len(rows)} output tokens, {len(columns)} source tokens.",
    }
    mount("additive", key, pack(header, arrays), pick=None)
