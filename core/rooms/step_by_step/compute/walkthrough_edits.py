"""Cells of a walk set by hand: which may be set, and how they travel in an address.

x.1.2=0.5~q.0.3.1=-1.25        row 1, column 2 of X; row 3, column 1 of head 0's queries
"""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

# Larger numbers do not fit their cell, and e^99 is as far from 1 as anyone needs to go.
LARGEST = 99.0
# Each edit has a place in the address of the page, which is cut by some servers above some thousand characters.
MOST_EDITS = 40
MATRICES = ("x", "w_q", "w_k", "w_v", "w_o")
STACKS = ("q", "k", "v", "dots", "scores", "weights", "heads")
_PART = re.compile(r"([a-z_]{1,8})\.(?:(\d{1,2})\.)?(\d{1,2})\.(\d{1,2})=(-?\d{1,2}(?:\.\d{1,4})?)")


class Cell(NamedTuple):
    """One number of a walk: the tensor's name, its head (0 where there are none), row and column."""

    name: str
    head: int
    row: int
    column: int


Edits = Mapping[Cell, float]


def shapes(n_word: int, d_model: int, n_head: int) -> dict[str, tuple[int, int, int]]:
    """The tensors that may be set: name -> (heads, rows, columns)."""
    d_head = d_model // n_head
    narrow, square = (n_head, n_word, d_head), (n_head, n_word, n_word)
    return {
        "x": (1, n_word, d_model),
        **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (1, d_model, d_model)),
        **dict.fromkeys(("q", "k", "v", "heads"), narrow),
        **dict.fromkeys(("dots", "scores", "weights"), square),
    }


def pack(edits: Edits) -> str:
    """The edits as they stand in an address, in the order in which they were made."""
    parts = []
    for cell, value in edits.items():
        head = f"{cell.head}." if cell.name in STACKS else ""
        parts.append(f"{cell.name}.{head}{cell.row}.{cell.column}={value:.4f}".rstrip("0").rstrip("."))
    return "~".join(parts)


def parse(text: str, sizes: Mapping[str, tuple[int, int, int]]) -> tuple[dict[Cell, float], int]:
    """Read what `pack` wrote; anything may stand there.

    Args:
        sizes: of the walk at hand, see `shapes`.

    Returns:
        The edits that fit, and how many parts do not.
    """
    parts = text[: MOST_EDITS * 24].split("~")[:MOST_EDITS] if text else []
    edits: list[tuple[Cell, float]] = []
    for found in filter(None, map(_PART.fullmatch, parts)):
        name, head, row, column, value = found.groups()
        cell = Cell(name, int(head or 0), int(row), int(column))
        if (head is not None) == (name in STACKS) and _is_inside(cell, sizes):
            edits.append((cell, float(value)))
    return dict(edits), len(parts) - len(edits)


def check(given: Any, sizes: Mapping[str, tuple[int, int, int]]) -> dict[Cell, float] | None:
    """The edits that a browser committed, `[[name, head, row, column, number], ...]`; None if they are none."""
    if not isinstance(given, list) or len(given) > MOST_EDITS:
        return None
    edits: dict[Cell, float] = {}
    for one in given:
        if not isinstance(one, list) or len(one) != 5 or not isinstance(one[0], str):
            return None
        if not all(isinstance(i, int) and not isinstance(i, bool) for i in one[1:4]):
            return None
        cell, value = Cell(*one[:4]), one[4]
        if not _is_inside(cell, sizes) or isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not math.isfinite(value) or abs(value) > LARGEST:
            return None
        edits[cell] = round(float(value), 4)
    return edits


def _is_inside(cell: Cell, sizes: Mapping[str, tuple[int, int, int]]) -> bool:
    return cell.name in sizes and all(0 <= i < n for i, n in zip(cell[1:], sizes[cell.name], strict=True))
