"""Attention as lines between two columns of tokens; see `assets/widgets/heads/lines.js`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.browser.choice_indexed_values import ChoiceRef
from core.browser.message_packing import as_levels, pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

MAX_LINE_TOKENS = 64  # rows of readable letters, which make a picture of about 1,100 pixels


def draw_attention_lines(
    weights: ArrayLike,
    *,
    tokens: Sequence[str],
    key: str,
    open_head: tuple[ChoiceRef, ChoiceRef],
    row: ChoiceRef,
    threshold: float = 0.1,
    label: str = LABELS["title"],
) -> None:
    """Draw any set of heads as lines from each query to its keys; thickness shows the weight, color the head.

    All heads are sent once, one byte for each weight. The browser switches heads on and off; at first the open head is
    on, and the picture follows it until the user has chosen heads. A click on a query selects it.

    Args:
        weights: (L, H, T, T) between 0 and 1; masked cells 0.
        tokens: at most 64.
        open_head: (layer, head), and `row`, the query: choices of the page.
        threshold: lines with a smaller weight are hidden at first.

    Raises:
        ValueError: if a shape does not match, a weight is outside 0..1, or there are too many tokens.
    """
    array, n_token = np.asarray(weights), len(tokens)
    if array.ndim != 4 or array.shape[2:] != (n_token, n_token):
        raise ValueError(f"weights {array.shape} do not match (L, H, {n_token}, {n_token})")
    if n_token > MAX_LINE_TOKENS:
        raise ValueError(f"{n_token} tokens are more than the {MAX_LINE_TOKENS} that lines can show")
    n_layer, n_head = array.shape[:2]
    sizes = {
        "layers": LABELS("n_layer", n=n_layer),
        "heads": LABELS("n_head", n=n_head),
        "tokens": LABELS("n_token", n=n_token),
    }
    header = {
        "widget": "lines",
        "rows": list(tokens),
        "columns": list(tokens),
        "open": list(open_head),
        "threshold": threshold,
        "chooses": {"pick": {"row": row.name}},
        "row_title": LABELS["reading"],
        "column_title": LABELS["read_from"],
        "label": label,
        "takeaway": LABELS("takeaway", title=label, **sizes),
    }
    mount("lines", key, pack_message(header, {"weights": as_levels(array)}))
