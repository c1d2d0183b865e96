"""The widget that shows the masks of a padded batch side by side, and why each cell is open or closed."""

from collections.abc import Sequence
from typing import Any

from core.browser.message import pack
from core.ui.text import plural
from core.ui.widgets.mount import mount

# Four texts of 20 tokens, three panels each, are 4,800 cells: about the smallest that a pointer still hits.
MAX_TEXTS, MAX_TOKENS = 4, 20
PANELS = {
    "Padding mask": {"causal": False, "padding": True},
    "Causal mask": {"causal": True, "padding": False},
    "Both": {"causal": True, "padding": True},
}


def mask_batch(tokens: Sequence[Sequence[str]], lengths: Sequence[int], *, key: str, label: str = "") -> None:
    """Draw, for each text of a batch padded on the right, its padding mask, the causal mask and both together.

    Args:
        tokens: B texts of T tokens each, padding included.
        lengths: how many tokens of each are real.

    Raises:
        ValueError: if the texts differ in length, are too many or too long, or a length does not fit.
    """
    n_token = len(tokens[0]) if tokens else 0
    if not 1 <= len(tokens) <= MAX_TEXTS or not 1 <= n_token <= MAX_TOKENS:
        raise ValueError(
            f"{plural(len(tokens), 'text')} of {n_token} tokens; 1 to {MAX_TEXTS} of 1 to {MAX_TOKENS} can be shown"
        )
    if any(len(text) != n_token for text in tokens) or len(lengths) != len(tokens):
        raise ValueError(f"texts of {[len(text) for text in tokens]} tokens and {len(lengths)} lengths are no batch")
    if not all(0 <= length <= n_token for length in lengths):
        raise ValueError(f"lengths {list(lengths)} do not lie within 0..{n_token}")
    header: dict[str, Any] = {
        "widget": "mask_batch",
        "tokens": [list(text) for text in tokens],
        "lengths": [int(length) for length in lengths],
        "panels": list(PANELS.values()),
        "panel_names": list(PANELS),
        "label": label,
        "takeaway": f"{label or 'A batch'}: {plural(len(tokens), 'text')}; real tokens: "
        f"{', '.join(map(str, lengths))}, filled up to {n_token}. The padding mask closes columns, the causal mask "
        "closes a triangle.",
    }
    mount("mask_batch", key, pack(header, {}))
