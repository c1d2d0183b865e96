"""Blocks drawn beside one another, part by part; what differs is lit, and each part tells what it is."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MAX_PARTS = 12  # in a block; more do not fit on a screen


def block_plans(columns: Sequence[Mapping[str, Any]], *, key: str, label: str = "", takeaway: str = "") -> None:
    """Draw the blocks. Pointing at a part, or reaching it by key, tells about it; the server is not asked.

    Args:
        columns: each block's title, a note on it, its total of parameters, and its parts from the first to the last:
            title, kind ("norm", "self-attention", "cross-attention", "feed-forward"), detail (said when it is pointed
            at), count (of parameters), badge (why it is lit; "" if it is not), mask (rows of 0 and 1, drawn small;
            None if nobody reads anybody) and adds (whether its output is added to the stream).

    Raises:
        ValueError: if there is nothing to draw, or a block has too many parts.
    """
    if not columns or not all(1 <= len(column["parts"]) <= MAX_PARTS for column in columns):
        raise ValueError(f"{len(columns)} blocks; each needs between 1 and {MAX_PARTS} parts")
    header = {"widget": "block_plans", "columns": columns, "label": label, "takeaway": takeaway}
    mount("block_plans", key, pack(header, {}))
