"""The widget of a toy model's arrows, to drag and to turn; see `assets/widgets/circuits/superposition.js`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.browser.message import pack
from core.ui.widgets.mount import mount


def arrows(
    toys: Any,
    *,
    values: Mapping[int, NDArray[np.float64]],
    importance: Sequence[float],
    key: str,
    label: Any,
    takeaway: Any,
) -> None:
    """Draw one toy model; arrows are dragged and turned in the browser, which computes the loss anew.

    Args:
        toys: `weight` (H, N), `bias` (N,), `relu`, `often`, `loss`, and `first`: the loss of who keeps only the H most
            important. It may depend on choices of the page, as `label` and `takeaway` may.
        values: N -> (127, N) the values that the loss is a mean over.
        importance: of each feature, of the largest model.
    """
    header = {
        "widget": "superposition",
        "toy": toys,
        "values": {str(n): one.tolist() for n, one in values.items()},
        "importance": list(importance),
        "label": label,
        "takeaway": takeaway,
    }
    mount("superposition", key, pack(header, {}), height=460)
