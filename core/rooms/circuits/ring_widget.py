"""Numbers as points in two directions, joined around a circle; see `assets/widgets/circuits/ring.js`."""

from typing import Any

from core.browser.linked import Along
from core.browser.message import pack
from core.ui.widgets.mount import mount


def ring(points: Along, *, order: Any, key: str, label: Any, takeaway: Any) -> None:
    """Draw the numbers, and a line from each to the next.

    Args:
        points: (..., N, 2) float32 within -1 and 1, along choices of the page; order, label and takeaway may be, too.
        order: (N,) the numbers as the line meets them.
    """
    header = {"widget": "ring", "order": order, "label": label, "takeaway": takeaway}
    mount("ring", key, pack(header, {"points": points}))
