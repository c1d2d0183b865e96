"""A vector on its way: one strip of colored cells for each stage, its length as a bar, and sums told cell by cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MAX_WIDTH = 8_192  # more numbers than a strip of a wide screen has pixels, four times over


@dataclass(frozen=True)
class Strip:
    """One stage.

    Args:
        name: printed beside it.
        kind: a word for the colors of the bars.
        values: (D,) the vector.
        sum_of: the two strips whose sum it is, by their places; None: it is no sum.
    """

    name: str
    kind: str
    values: NDArray[np.floating]
    sum_of: tuple[int, int] | None = None


def strips(items: Sequence[Strip], *, key: str, kinds: Mapping[str, str], label: str = "", takeaway: str = "") -> None:
    """Draw the stages below one another; pointing at a number lights it in every strip and tells its sums.

    Args:
        items: at least one, all of one width.
        kinds: each kind and its color range by name; kinds of one range can be compared cell by cell.

    Raises:
        ValueError: if the widths differ or are too large, a kind is not listed, or a sum names no strip.
    """
    widths = {strip.values.shape for strip in items}
    if len(widths) != 1 or len(next(iter(widths))) != 1:
        raise ValueError(f"strips have the shapes {sorted(widths)}; they need one width")
    values = np.stack([strip.values for strip in items]).astype(np.float32)
    if not 0 < values.shape[1] <= MAX_WIDTH:
        raise ValueError(f"{values.shape[1]} numbers; a strip shows between 1 and {MAX_WIDTH}")
    for strip in items:
        if strip.kind not in kinds:
            raise ValueError(f"{strip.kind!r} is none of the kinds {list(kinds)}")
        if strip.sum_of is not None and not all(0 <= place < len(items) for place in strip.sum_of):
            raise ValueError(f"{strip.name!r} is the sum of strips {strip.sum_of}, there are {len(items)}")
    ranges = list(dict.fromkeys(kinds.values()))
    in_range = np.array([ranges.index(kinds[strip.kind]) for strip in items])
    limits = [float(np.abs(values[in_range == one]).max(initial=0)) or 1.0 for one in range(len(ranges))]
    header = {
        "widget": "strips",
        "names": [strip.name for strip in items],
        "kind": [list(kinds).index(strip.kind) for strip in items],
        "ranges": ranges,
        "range": in_range.tolist(),
        "limits": limits,
        "sums": [None if strip.sum_of is None else list(strip.sum_of) for strip in items],
        "lengths": np.linalg.norm(values.astype(np.float64), axis=1).tolist(),
        "label": label,
        "takeaway": takeaway or f"{label or 'Vector'}: {len(items)} stages of {values.shape[1]} numbers.",
    }
    mount("strips", key, pack(header, {"values": values}))
