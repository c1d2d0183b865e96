"""Cross-attention as a film over the output tokens; see `assets/widgets/encoder_decoder/cross_film.js`."""

from collections.abc import Sequence

import numpy as np

from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount


def cross_film(
    seen: CrossAttentionRecord,
    *,
    sources: Sequence[str],
    key: str,
    open_head: tuple[int, int] = (0, 0),
    plain: bool = False,
    label: str = "",
) -> None:
    """Draw who asks and who answers at each output token; nothing is committed.

    Args:
        sources: (S,) tokens of the source.
        open_head: (layer, head) that is shown at first.
        plain: whether shapes and the worked-out score are left out.
    """
    n_layer, n_head, n_row, n_column = seen.cross.shape
    given = {"weights": seen.cross, "q": seen.q, "k": seen.k, "v": seen.v}
    arrays = {name: np.asarray(x, np.float32).reshape(-1, *x.shape[2:]) for name, x in given.items()}
    header = {
        "widget": "cross_film",
        "rows": seen.reads,
        "writes": seen.tokens,
        "sure": seen.sure,
        "columns": list(sources),
        "heads": [f"{layer}.{head}" for layer in range(n_layer) for head in range(n_head)],
        "open": open_head[0] * n_head + open_head[1],
        "start": min(1, n_row - 1),
        "plain": plain,
        "scale": float(seen.scale),
        "label": label,
        "takeaway": f"{label}: {n_row} output tokens, {n_column} source tokens.",
    }
    mount("cross_film", key, pack(header, arrays))
