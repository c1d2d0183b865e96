"""A sentence's probability, one column for each token and one row for each model: `assets/widgets/ledger/`."""

import math
from collections.abc import Sequence
from typing import Any

from core import ui
from core.browser.message import as_levels
from core.rooms.ledger.compute.ledger import LedgerRow

MOST_TOKENS = 48  # so many columns can still be read by scrolling


def ledger(
    rows: Sequence[LedgerRow],
    *,
    tokens: Sequence[str],
    vocabulary: Sequence[str],
    smoothing: str,
    key: str,
    selected: tuple[int, int],
    mean_title: str,
    label: str,
    takeaway: str,
) -> None:
    """Draw the ledger. Pointing at a cell tells what stands behind it, without asking the server.

    Args:
        rows: with T probabilities each; the last one is the GPT, whose attention is drawn.
        tokens: T + 1, the start first.
        selected: (row, token) that is told about at first; token 0 is the one after the start.

    Raises ValueError: if there are too many tokens, or a row has not T probabilities.
    """
    n_token = len(tokens) - 1
    if not 1 <= n_token <= MOST_TOKENS:
        raise ValueError(f"{n_token} tokens; between 1 and {MOST_TOKENS} can be shown")
    if any(len(row.p) != n_token for row in rows):
        raise ValueError(f"every row needs {n_token} probabilities, not {[len(row.p) for row in rows]}")
    gpt = rows[-1].guesses
    if gpt is None or gpt.weights is None:
        raise ValueError("the last row must be a net with attention")
    ui.widget(
        "ledger",
        key=key,
        weights=as_levels(gpt.weights),
        tokens=list(tokens),
        vocab=len(vocabulary),
        smoothing=smoothing,
        rows=[_row(row, vocabulary) for row in rows],
        selected=list(selected),
        head=f"{gpt.weights.shape[0] - 1}.mean",
        mean_title=mean_title,
        plain=not ui.at_least("numbers"),
        label=label,
        takeaway=takeaway,
    )


def _row(row: LedgerRow, vocabulary: Sequence[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"name": row.name, "kind": row.kind, "order": row.order, "p": row.p.tolist()}
    told["mean"] = row.mean if math.isfinite(row.mean) else None
    told["width"] = row.width
    if row.counts is not None:
        told |= {name: getattr(row.counts, name).tolist() for name in ("context", "count", "total", "types", "lower")}
    if row.guesses is not None:
        told["top"] = [[vocabulary[i] for i in ids] for ids in row.guesses.top]
        told["top_p"] = row.guesses.top_p.tolist()
    return told
