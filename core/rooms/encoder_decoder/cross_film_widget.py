"""Cross-attention as a film over the output tokens; see `assets/widgets/encoder_decoder/cross_film.js`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MOST_TOKENS = 32  # rows of 30 pixels: about a thousand


def cross_film(
    weights: ArrayLike,
    *,
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    scale: float,
    reads: Sequence[str],
    writes: Sequence[str],
    sure: Sequence[float],
    sources: Sequence[str],
    key: str,
    open_head: tuple[int, int] = (0, 0),
    start: int = 0,
    plain: bool = False,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw who asks and who answers at each output token; nothing is committed.

    Args:
        weights: (L, H, T, S) of the cross-attention.
        q: (L, H, T, K) from the decoder; k, v: (L, H, S, K) from the encoder.
        scale: factor of the dot products.
        reads: (T,) what the decoder read last at each step; writes: (T,) what it then writes; sure: (T,) how surely.
        sources: (S,) tokens of the source.
        open_head: (layer, head) that is shown at first; start: the output token.
        plain: whether shapes and the worked-out score are left out.

    Raises:
        ValueError: if the shapes do not match, or there are too many tokens.
    """
    n_layer, n_head, n_row, n_column = np.shape(weights)
    d_head = np.shape(q)[-1]
    if (n_row, n_row, n_row, n_column) != (len(reads), len(writes), len(sure), len(sources)):
        raise ValueError(
            f"weights {np.shape(weights)} do not match {len(reads)} tokens read, {len(writes)} written, "
            f"{len(sources)} of the source"
        )
    if max(n_row, n_column) > MOST_TOKENS:
        raise ValueError(f"{max(n_row, n_column)} tokens are more than the {MOST_TOKENS} that can be shown")
    heads = n_layer * n_head
    arrays = {}
    for name, array, n in (("weights", weights, n_row), ("q", q, n_row), ("k", k, n_column), ("v", v, n_column)):
        width = n_column if name == "weights" else d_head
        if np.shape(array) != (n_layer, n_head, n, width):
            raise ValueError(f"{name} {np.shape(array)} does not match {(n_layer, n_head, n, width)}")
        arrays[name] = np.asarray(array, np.float32).reshape(heads, n, width)
    header = {
        "widget": "cross_film",
        "rows": list(reads),
        "writes": list(writes),
        "sure": [float(one) for one in sure],
        "columns": list(sources),
        "heads": [f"{layer}.{head}" for layer in range(n_layer) for head in range(n_head)],
        "open": open_head[0] * n_head + open_head[1],
        "start": start,
        "plain": plain,
        "scale": float(scale),
        "label": label,
        "takeaway": takeaway or f"{label or 'Cross-attention'}: {n_row} output tokens, {n_column} source tokens.",
    }
    mount("cross_film", key, pack(header, arrays))
