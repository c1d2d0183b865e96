"""The browser widget of a feed-forward layer's units at one token; see `assets/widgets/block/units.js`."""

from typing import Any

import numpy as np

from core.browser.linked import over, stacked
from core.browser.message import pack
from core.ui.widgets.mount import mount


def units(before: Any, after: Any, bars: Any, *, key: str, label: Any, takeaway: Any) -> None:
    """Draw how many numbers fall where before the nonlinearity, and each unit before and after it.

    Args:
        before, after: (F,) the number of each unit.
        bars: the `Histogram` of all numbers before the nonlinearity.

    All of them may depend on choices of the page.
    """
    told = over(
        lambda one: {"low": float(one.edges[0]), "high": float(one.edges[-1]), "counts": one.counts.tolist()}, bars
    )
    header = {"widget": "units", "bars": told, "label": label, "takeaway": takeaway}
    arrays = {
        name: stacked(over(lambda one: np.asarray(one, np.float32), values))
        for name, values in (("before", before), ("after", after))
    }
    mount("units", key, pack(header, arrays))
