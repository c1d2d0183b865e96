"""An axis of tokens in their order. Two that look alike stay two places: a number stands before each, unseen."""

from collections.abc import Sequence
from typing import Any

_DIGITS = 3


def placed(tokens: Sequence[str]) -> list[str]:
    """The tokens as values of the field "place": each with its number before it, which the axis leaves out."""
    return [f"{i:0{_DIGITS}d}{token}" for i, token in enumerate(tokens)]


def by_place(title: str | None = None, **axis: Any) -> dict[str, Any]:
    """The Vega-Lite channel of the field "place", see `placed`.

    Args:
        title: of the axis.
        axis: more of its properties, such as labelLimit.
    """
    labels = {"labelExpr": f"slice(datum.label, {_DIGITS})", "labelFont": "JetBrains Mono, monospace"}
    return {
        "field": "place",
        "type": "nominal",
        "sort": None,
        "title": title,
        "axis": {**labels, "labelOverlap": False, **axis},
    }
