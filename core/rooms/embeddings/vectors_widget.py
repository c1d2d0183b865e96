"""Two arrows of the plane to drag; every number that compares them follows in the browser."""

import math
from collections.abc import Sequence
from typing import Any

from core.browser.message import pack
from core.ui.widgets.mount import mount

LIMIT = 5.0  # the picture shows -5 to 5 on both axes
Vector = tuple[float, float]


def two_vectors(
    q: Sequence[float],
    k: Sequence[float],
    *,
    start: tuple[Sequence[float], Sequence[float]] = ((1.0, 0.0), (3.0, 3.0)),
    examples: Sequence[tuple[str, Vector, Vector]] = (),
    key: str,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the two arrows and their numbers.

    Args:
        q, k: where they point, each number from -5 to 5. A changed value moves the arrow.
        start: where Reset and Escape put them.
        examples: names and pairs for buttons.

    Raises:
        ValueError: if a vector does not fit the picture.
    """
    vectors = as_vectors([q, k])
    back = as_vectors(start)
    if vectors is None or back is None:
        raise ValueError(f"two vectors of two numbers from {-LIMIT:g} to {LIMIT:g} are needed, not {q} and {k}")
    header: dict[str, Any] = {
        "widget": "vectors",
        "vectors": [list(one) for one in vectors],
        "start": [list(one) for one in back],
        "examples": [(name.capitalize(), q, k) for name, q, k in examples],
        "label": label,
        "takeaway": takeaway,
    }
    mount("vectors", key, pack(header, {}), pick=None)


def as_vectors(given: Any) -> tuple[Vector, Vector] | None:
    """Two vectors from anywhere (a browser, a link), if they are two that fit the picture."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        return None
    found = [_as_vector(one) for one in given]
    return (found[0], found[1]) if found[0] is not None and found[1] is not None else None


def _as_vector(given: Any) -> Vector | None:
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        return None
    if any(isinstance(v, bool) or not isinstance(v, int | float) for v in given):
        return None
    x, y = float(given[0]), float(given[1])
    return (x, y) if all(math.isfinite(v) and abs(v) <= LIMIT for v in (x, y)) else None
