"""Blocks drawn beside one another, part by part; what differs is lit, and each part tells what it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MAX_PARTS = 12  # in a block; more do not fit on a screen


@dataclass(frozen=True)
class Drawn:
    """A part as it is drawn.

    Attributes:
        title: what it is.
        kind: "norm", "self-attention", "cross-attention" or "feed-forward".
        detail: what it does, said when it is pointed at.
        count: its parameters.
        badge: why it is lit, in two or three words; "" if it is not.
        mask: (T, S) who may read whom, drawn small; None if nobody reads anybody.
        adds: whether its output is added to the stream.
    """

    title: str
    kind: str
    detail: str
    count: int
    badge: str = ""
    mask: NDArray[np.bool_] | None = None
    adds: bool = False


@dataclass(frozen=True)
class Column:
    """A block: its name, an example, and its parts from the first to the last."""

    title: str
    note: str
    parts: Sequence[Drawn]
    total: int


def block_plans(columns: Sequence[Column], *, key: str, label: str = "", takeaway: str = "") -> None:
    """Draw the blocks. Pointing at a part, or reaching it by key, tells about it; the server is not asked.

    Raises:
        ValueError: if there is nothing to draw, or a block has too many parts.
    """
    if not columns or not all(1 <= len(column.parts) <= MAX_PARTS for column in columns):
        raise ValueError(f"{len(columns)} blocks; each needs between 1 and {MAX_PARTS} parts")
    header = {
        "widget": "block_plans",
        "columns": [
            {
                "title": column.title,
                "note": column.note,
                "total": column.total,
                "parts": [
                    {
                        "title": part.title,
                        "kind": part.kind,
                        "detail": part.detail,
                        "count": part.count,
                        "badge": part.badge,
                        "mask": None if part.mask is None else part.mask.astype(int).tolist(),
                        "adds": part.adds,
                    }
                    for part in column.parts
                ],
            }
            for column in columns
        ],
        "label": label,
        "takeaway": takeaway,
    }
    mount("block_plans", key, pack(header, {}))
