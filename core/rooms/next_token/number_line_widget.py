"""How a uniform number picks a token: all tokens side by side, each as wide as it is likely, step by step."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core import ui
from core.browser.message import pack
from core.generate.settings import Written
from core.ui.widgets.mount import mount

NONE = -1  # no token: fills the lines of steps that have fewer


def line_parts(written: Written, vocabulary: Sequence[str], step: str) -> dict[str, Any]:
    """What the line shows, along the choice of the step, 1 to N.

    Args:
        written: N steps, at least one.
        vocabulary: (V,) printable.
    """
    lines, most = written.lines, widest(written)
    used = np.unique(np.concatenate([line.tokens for line in lines]))
    ids = np.stack([_filled(np.searchsorted(used, line.tokens), most, NONE) for line in lines]).astype(np.int32)
    low, high = (
        np.stack([_filled(getattr(line, end), most, 0.0) for line in lines]).astype(np.float32)
        for end in ("low", "high")
    )
    return {
        "names": [vocabulary[i] for i in used],
        "token": ui.along(np.searchsorted(used, written.tokens).tolist(), step),
        "draw": ui.along([None if np.isnan(number) else number for number in written.draws.tolist()], step),
        "pieces": ui.along(ids, step),
        "from": ui.along(low, step),
        "to": ui.along(high, step),
    }


def number_line(parts: Mapping[str, Any], *, key: str) -> None:
    """Draw the line of the step that is chosen, and where the number fell.

    Args:
        parts: those of `line_parts`; the browser may compute them.
    """
    header = {
        "widget": "number_line",
        "names": parts["names"],
        "token": parts["token"],
        "drawn": parts["draw"],
        "label": "",
        "takeaway": "The tokens side by side between 0 and 1, each as wide as it is likely, and the number drawn.",
    }
    arrays = {"ids": parts["pieces"], "low": parts["from"], "high": parts["to"]}
    mount("number_line", key, pack(header, arrays), height=90)


def widest(written: Written) -> int:
    """The most tokens that one of the lines has."""
    return max((len(line.tokens) for line in written.lines), default=0)


def _filled(values: np.ndarray, size: int, gap: float) -> np.ndarray:
    return np.pad(values, (0, size - len(values)), constant_values=gap)
