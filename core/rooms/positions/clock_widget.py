"""Two browser widgets about angles: a position as clock hands, and a query and a key that their positions turn.

Both follow the finger in the browser. What is chosen there comes back when the slider is let go, so that the address
and the formula below can follow.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.browser.message import pack
from core.ui.text import plural
from core.ui.widgets.mount import index, mount

At = dict[str, int]  # where the hands stand, by the names of the sliders


def clock(table: ArrayLike, frequencies: ArrayLike, *, at: At, key: str, label: str = "") -> None:
    """Draw each position's vector as clock hands over the curves and the heat map of the whole table.

    Args:
        table: (T, D) sine, cosine, sine, cosine, …; D even.
        frequencies: (D/2,) radians per position.
        at: where to stand at first; a changed one is taken over.
    """
    values, speeds = np.asarray(table, np.float32), np.asarray(frequencies, float)
    n_position, width = values.shape
    header: dict[str, Any] = {
        "widget": "clock",
        "n_position": n_position,
        "width": width,
        "frequencies": speeds.tolist(),
        "at": at,
        "label": label,
        "takeaway": f"{plural(len(speeds), 'clock')} over {plural(n_position, 'position')}. At position 0 all hands "
        "point up; the first clock is the fastest, each later one is slower.",
    }
    mount("clock", key, pack(header, {"table": values}), pick=None)


def rotary(
    q: ArrayLike,
    k: ArrayLike,
    frequencies: ArrayLike,
    by_distance: ArrayLike,
    *,
    interleaved: bool,
    at: At,
    start: At,
    key: str,
    label: str = "",
) -> None:
    """Draw a query and a key as hands, pair by pair, turned by their positions, with their score.

    Args:
        q, k: (K,) before any rotation, K even.
        frequencies: (K/2,) radians per position.
        by_distance: (2 T - 1,) the score for each distance key minus query from -(T - 1) to T - 1.
        interleaved: which numbers form a pair, as in `core.nn.positions.rotate`.
        at: where to stand; `start` is where Reset leads.
    """
    vectors = {"q": np.asarray(q, np.float32), "k": np.asarray(k, np.float32)}
    scores, speeds = np.asarray(by_distance, np.float32), np.asarray(frequencies, float)
    n_position = (len(scores) + 1) // 2
    header: dict[str, Any] = {
        "widget": "rotary",
        "n_position": n_position,
        "frequencies": speeds.tolist(),
        "interleaved": interleaved,
        "at": at,
        "start": start,
        "label": label,
        "takeaway": f"{plural(len(speeds), 'dial')}. Sliding query and key together turns both hands of a dial by the "
        "same angle, so the score stays the same.",
    }
    mount("rotary", key, pack(header, {**vectors, "by_distance": scores}), pick=None)


def clock_at(given: Any, n_position: int, width: int) -> At | None:
    """A position, the distance to a second one and a pair, from a browser or a link, if there is such a place."""
    found = _whole(given, position=n_position, distance=n_position, pair=width // 2)
    return found if found and found["position"] + found["distance"] < n_position else None


def rotary_at(given: Any, n_position: int) -> At | None:
    """Where query and key stand, from a browser or a link, if they can."""
    return _whole(given, query=n_position, key=n_position)


def _whole(given: Any, **limits: int) -> At | None:
    """Whole numbers from 0 on, each below its limit; None if one is missing or none."""
    sent = given if isinstance(given, Mapping) else {}
    found = {name: index(sent.get(name), limit) for name, limit in limits.items()}
    return {name: at for name, at in found.items() if at is not None} if None not in found.values() else None
