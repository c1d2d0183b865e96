"""A curve drawn by hand, as a guess: dragged over the places of an axis, or set point by point with the keys.

    heights = drawn_curve(x=(1, 2, 3), low=0, high=1, key="guess")          # None until "Commit" is pressed
    drawn_curve(x=(1, 2, 3), low=0, high=1, key="came", guess=heights, real=(0.1, 0.5, 0.9))

The script is `assets/widgets/shared/drawn_curve.js`; drawing never asks the server.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.browser.message import pack
from core.ui.widgets.mount import mount


def drawn_curve(
    *,
    x: Sequence[float],
    low: float,
    high: float,
    key: str,
    x_title: str = "",
    y_title: str = "",
    label: str = "",
    takeaway: str = "",
    guess: Sequence[float] | None = None,
    real: Sequence[float] | None = None,
) -> tuple[float, ...] | None:
    """Ask for a curve; or, with `real`, show what came, and over it what was guessed.

    Args:
        x: places on the axis, rising.
        low, high: the range of heights; `real` may go beyond it.
        guess: heights that were drawn before.

    Returns:
        One height for each place, from `low` to `high`; None until it has been committed.

    Raises:
        ValueError: if the lengths differ.
    """
    for name, heights in (("guess", guess), ("real", real)):
        if heights is not None and len(heights) != len(x):
            raise ValueError(f"{name} has {len(heights)} heights for {len(x)} places")
    header: dict[str, Any] = {
        "widget": "drawn_curve",
        "x": [float(one) for one in x],
        "low": float(low),
        "high": float(high),
        "x_title": x_title,
        "y_title": y_title,
        "label": label,
        "takeaway": takeaway,
        "guess": None if guess is None else [float(one) for one in guess],
        "real": None if real is None else [float(one) for one in real],
    }
    state = mount("drawn_curve", key, pack(header, {}), drawn=None)
    return from_browser(state["drawn"], len(x), low, high)


def from_browser(drawn: Any, n: int, low: float, high: float) -> tuple[float, ...] | None:
    """A committed curve, if it is one: what comes from a browser may be anything."""
    heights = drawn.get("heights") if isinstance(drawn, Mapping) else None
    if not isinstance(heights, list) or len(heights) != n:
        return None
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in heights):
        return None
    return tuple(min(max(float(one), low), high) for one in heights)
