"""One head's scores, and the coordinates that each is the sum of; see `assets/widgets/heads/product.js`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.browser.linked import Along, Chosen, over
from core.browser.message import pack
from core.ui.text import plural
from core.ui.widgets.mount import mount

MOST_TOKENS = 128


def product(
    *,
    arrays: Mapping[str, Along],
    scale: float,
    tokens: Sequence[str],
    key: str,
    selected: tuple[Chosen, Chosen],
    mask: NDArray[np.bool_] | Along,
    softcap: float | None = None,
    has_sink: bool = False,
    label: Any = "Scores",
) -> None:
    """Draw the scores of a head; the cell under the pointer is taken apart into its coordinates.

    Products, their sum, the scaled sum and the score are computed in the browser from q, k and the bias. A click
    chooses its cell.

    Args:
        arrays: along the choices of layer and head: `q`, `k` (T, K); `scores`, `weights` (T, T), before and after the
            softmax; `bias` (T, T), where the positions add one to the scaled products.
        scale, softcap: factor of the dot products, and the most that a score can be, if there is a bound.
        has_sink: whether each row of scores has one more, which no key has.
        tokens: at most 128.
        selected: (query, key) taken apart while the pointer is elsewhere: choices of the page.
        mask: (T, T) True where a cell may be read; it may run along the layers.
        label: it may depend on choices.

    Raises:
        ValueError: if the shapes do not match, or there are too many tokens.
    """
    n_token = len(tokens)
    if not 0 < n_token <= MOST_TOKENS:
        raise ValueError(f"{n_token} tokens; between 1 and {MOST_TOKENS} can be shown")
    sent: dict[str, Any] = {name: replace(one, values=one.values.astype(np.float32)) for name, one in arrays.items()}
    width = arrays["q"].values.shape[-1]
    for name, one in arrays.items():
        expected = (n_token, width if name in "qk" else n_token)
        if one.values.shape[len(one.names) :] != expected:
            raise ValueError(f"{name} {one.values.shape} does not match {expected}")
    closed = ~np.asarray(mask.values if isinstance(mask, Along) else mask)
    if closed.any():
        gaps = closed.astype(np.uint8)
        sent["empty"] = replace(mask, values=gaps) if isinstance(mask, Along) else gaps
    header = {
        "widget": "product",
        "rows": list(tokens),
        "columns": list(tokens),
        "scale": float(scale),
        "limit": over(lambda scores, may: float(np.abs(scores[may]).max(initial=0)) or 1.0, arrays["scores"], mask),
        "selected": list(selected),
        "chooses": {"pick": {"row": selected[0].name, "column": selected[1].name}},
        "plain": not ui.at_least("numbers"),
        "label": label,
        "takeaway": over(lambda one: f"{one}: {plural(n_token, 'query', 'queries')}, {plural(n_token, 'key')}.", label),
    }
    if softcap is not None:
        header["softcap"] = softcap
    if has_sink:
        header["sink"] = True
    mount("product", key, pack(header, sent))
