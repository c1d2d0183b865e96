"""Two browser widgets about angles: a position as clock hands, and a query and a key that their positions turn.

Both follow the finger in the browser. What is chosen there comes back when the slider is let go, so that the address
and the formula below can follow.
"""

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import index, mount


class ClockAt(TypedDict):
    """Where the clocks stand: a position, a distance to a second position, and the pair that is looked at."""

    position: int
    distance: int
    pair: int


class RotaryAt(TypedDict):
    """Where the query and the key stand."""

    query: int
    key: int


def clock(table: ArrayLike, frequencies: ArrayLike, *, at: ClockAt, key: str, label: str = "") -> None:
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
        "at": dict(at),
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
    at: RotaryAt,
    start: RotaryAt,
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
        "at": dict(at),
        "start": dict(start),
        "label": label,
        "takeaway": f"{plural(len(speeds), 'dial')}. Sliding query and key together turns both hands of a dial by the "
        "same angle, so the score stays the same.",
    }
    mount("rotary", key, pack(header, {**vectors, "by_distance": scores}), pick=None)


def clock_at(given: Any, n_position: int, width: int) -> ClockAt | None:
    """A place for the clocks from a browser or a link, if it is one."""
    if not isinstance(given, Mapping):
        return None
    position = index(given.get("position"), n_position)
    pair = index(given.get("pair"), width // 2)
    distance = None if position is None else index(given.get("distance"), n_position - position)
    if position is None or pair is None or distance is None:
        return None
    return {"position": position, "distance": distance, "pair": pair}


def rotary_at(given: Any, n_position: int) -> RotaryAt | None:
    """A place for query and key from a browser or a link, if it is one."""
    if not isinstance(given, Mapping):
        return None
    query, key = index(given.get("query"), n_position), index(given.get("key"), n_position)
    return None if query is None or key is None else {"query": query, "key": key}
