"""The weights of additive attention, each taken apart into its energy; see `assets/widgets/seq2seq/additive.js`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.ui.widgets.message import pack
from core.ui.widgets.mount import index, mount


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
    truth_title: str = "",
    label: str = "",
    takeaway: str = "",
) -> tuple[int, int] | None:
    """Draw the weights; the cell under the pointer is taken apart in the browser.

    Args:
        weights: (T, S), rows sum to 1.
        asked: (T, H) W s of each output token; read: (S, H) U h of each source token; v: (H,).
        states: (S, D) what the weights mix.
        rows, columns: T output and S source tokens.
        selected: the cell taken apart while the pointer is elsewhere.
        plain: whether words stand for the symbols, and the sums are left out.
        truth: (T, S) booleans, drawn as rings; `truth_title` says what they mark.

    Returns:
        (output token, source token) of the last click, or None.

    Raises:
        ValueError: if the shapes do not match.
    """
    arrays: dict[str, NDArray[Any]] = {
        name: np.asarray(values, np.float32)
        for name, values in (("weights", weights), ("asked", asked), ("read", read), ("v", v), ("states", states))
    }
    shape, n_unit = (len(rows), len(columns)), arrays["v"].size
    found = {name: array.shape for name, array in arrays.items() if name != "v"}
    wanted = {"weights": shape, "asked": (shape[0], n_unit), "read": (shape[1], n_unit)}
    if any(found[name] != one for name, one in wanted.items()) or found["states"][:1] != shape[1:]:
        raise ValueError(f"{found} do not match {shape[0]} rows, {shape[1]} columns and {n_unit} units")
    if truth is not None:
        if np.shape(truth) != shape:
            raise ValueError(f"truth {np.shape(truth)} does not match {shape}")
        arrays["truth"] = np.asarray(truth).astype(np.uint8)
    header: dict[str, Any] = {
        "widget": "additive",
        "rows": list(rows),
        "columns": list(columns),
        "selected": list(selected),
        "plain": plain,
        "truth_title": truth_title,
        "label": label,
        "takeaway": takeaway or f"{label or 'Weights'}: {shape[0]} output tokens, {shape[1]} source tokens.",
    }
    pick = mount("additive", key, pack(header, arrays), pick=None).get("pick")
    if not isinstance(pick, Mapping):
        return None
    row, column = index(pick.get("row"), shape[0]), index(pick.get("column"), shape[1])
    return None if row is None or column is None else (row, column)
