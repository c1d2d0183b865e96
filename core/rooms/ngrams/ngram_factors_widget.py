"""The chain rule as a table: a row for each order, a column for each token; pointing shows which past a factor sees."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.browser.message import pack
from core.ui.widgets.mount import mount
from core.ui.widgets.mount import plain as finite

MAX_TOKENS = 60


def ngram_factors(
    p: NDArray[np.float64],
    n_context: NDArray[np.int64],
    *,
    tokens: Sequence[str],
    rows: Sequence[str],
    details: Sequence[Sequence[str]],
    products: NDArray[np.float64],
    log_sums: NDArray[np.float64],
    perplexities: NDArray[np.float64],
    key: str,
    plain: bool = False,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the factors of a sentence under several models.

    Args:
        p: (O, T) the factors.
        n_context: (O, T) how many tokens of the past each factor looks at.
        tokens: the T tokens.
        rows: O names.
        details: for each row, T lines that tell where the factor comes from, with its counts.
        products, log_sums, perplexities: (O,) of each row; log sums in nats.
        plain: whether of these only the products are shown.

    Raises:
        ValueError: if the shapes do not match.
    """
    shape = (len(rows), len(tokens))
    if p.shape != shape or n_context.shape != shape or len(tokens) > MAX_TOKENS:
        raise ValueError(f"factors {p.shape} do not match {shape[0]} rows of {shape[1]} tokens")
    header = {
        "widget": "ngram_factors",
        "tokens": list(tokens),
        "rows": list(rows),
        "details": [list(row) for row in details],
        # float32 has no room for products of many factors
        "products": products.tolist(),
        "log_sums": finite(log_sums),
        "perplexities": finite(perplexities),
        "plain": plain,
        "label": label,
        "takeaway": takeaway,
    }
    mount("ngram_factors", key, pack(header, {"p": p.astype(np.float32), "n_context": n_context.astype(np.int32)}))
