"""A vector at successive stages: one strip of colored cells per stage, its norm as a bar, and sums cell by cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.browser.choice_indexed_values import map_choices, pad_stack
from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

MAX_WIDTH = 8_192  # four times as many numbers as a strip on a wide screen has pixels


@dataclass(frozen=True)
class VectorRow:
    """One stage of a vector.

    Args:
        name: printed next to it.
        kind: a word for the colors of the bars.
        values: (D,) the vector.
        sum_of: the indices of the two strips whose sum it is; None if it isn't a sum.
    """

    name: str
    kind: str
    values: NDArray[np.floating]
    sum_of: tuple[int, int] | None = None


def draw_vector_rows(
    items: object, *, key: str, kinds: Mapping[str, str], label: object = "", takeaway: object = ""
) -> None:
    """Draw the stages below one another; pointing at a number highlights it in every strip and shows its sums.

    Args:
        items: at least one `VectorRow`, all of one width. Items and texts may depend on choices of the page.
        kinds: each kind and the name of its color range; kinds with one range can be compared cell by cell.

    Raises:
        ValueError: if the widths differ or are too large, a kind is not listed, or a sum names an unknown strip.
    """
    ranges = list(dict.fromkeys(kinds.values()))
    parts = map_choices(lambda some: _checked(some, kinds), items)
    told = map_choices(lambda some: _header(some, kinds, ranges), parts)
    header = {
        "widget": "strips",
        "ranges": ranges,
        **{name: map_choices(lambda one, name=name: one[name], told) for name in _HEADER_KEYS},
        "label": label,
        "takeaway": takeaway
        or map_choices(
            lambda one, some: LABELS(
                "takeaway", label=one or LABELS["vector"], n_stage=len(some), n=some[0].values.size
            ),
            label,
            parts,
        ),
    }
    # If choices have different numbers of strips, the shorter stacks are padded with zeros, which are not shown.
    values = map_choices(lambda some: np.stack([strip.values for strip in some]).astype(np.float32), parts)
    mount("strips", key, pack_message(header, {"values": pad_stack(values)}))


_HEADER_KEYS = ("names", "kind", "range", "limits", "sums", "lengths")


def _checked(items: Sequence[VectorRow], kinds: Mapping[str, str]) -> Sequence[VectorRow]:
    widths = {strip.values.shape for strip in items}
    if len(widths) != 1 or len(next(iter(widths))) != 1:
        raise ValueError(f"strips have the shapes {sorted(widths)}; they need one width")
    if not 0 < (width := items[0].values.size) <= MAX_WIDTH:
        raise ValueError(f"{width} numbers; a strip shows between 1 and {MAX_WIDTH}")
    for strip in items:
        if strip.kind not in kinds:
            raise ValueError(f"{strip.kind!r} is none of the kinds {list(kinds)}")
        if strip.sum_of is not None and not all(0 <= place < len(items) for place in strip.sum_of):
            raise ValueError(f"{strip.name!r} is the sum of strips {strip.sum_of}, there are {len(items)}")
    return items


def _header(items: Sequence[VectorRow], kinds: Mapping[str, str], ranges: Sequence[str]) -> dict[str, object]:
    values = np.stack([strip.values for strip in items]).astype(np.float32)
    in_range = np.array([ranges.index(kinds[strip.kind]) for strip in items])
    return {
        "names": [strip.name for strip in items],
        "kind": [list(kinds).index(strip.kind) for strip in items],
        "range": in_range.tolist(),
        "limits": [float(np.abs(values[in_range == one]).max(initial=0)) or 1.0 for one in range(len(ranges))],
        "sums": [None if strip.sum_of is None else list(strip.sum_of) for strip in items],
        "lengths": np.linalg.norm(values.astype(np.float64), axis=1).tolist(),
    }
