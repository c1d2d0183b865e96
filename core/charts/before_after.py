"""Two distributions side by side: what the model expected, and what it expects after something was changed."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.charts.curves import by_name, row_height
from core.charts.places import by_place, placed
from core.charts.theme import Mode, categorical

N_BAR = 10
LEAST = 0.001  # less than a pixel of the bar


def before_after(
    tokens: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    *,
    mode: Mode = "light",
    names: tuple[str, str] = ("before", "after"),
    value_title: str = "probability",
) -> dict[str, Any]:
    """A Vega-Lite specification: two bars for each token, a hollow one above a full one, in the order given.

    Args:
        tokens: labels; doubles are fine.
        before, after: one probability for each token.

    Raises:
        ValueError: if the lengths differ.
    """
    if not len(tokens) == len(before) == len(after):
        raise ValueError(f"{len(tokens)} tokens do not match {len(before)} and {len(after)} probabilities")
    rows = [
        {"place": place, "token": token, "when": name, "p": round(float(p), 6)}
        for name, values in zip(names, (before, after), strict=True)
        for place, token, p in zip(placed(tokens), tokens, values, strict=True)
    ]
    colors = categorical(mode)
    y = by_place(labelLimit=140)
    # A legend shows full symbols unless it is told: the first kind of bar is hollow.
    is_hollow = f"datum.value === {json.dumps(names[0])}"
    symbols = {
        "fillOpacity": {"condition": {"test": is_hollow, "value": 0}, "value": 1},
        "stroke": {"condition": {"test": is_hollow, "value": colors[7]}, "value": colors[0]},
    }
    legend = {"orient": "top", "title": None, "encoding": {"symbols": symbols}}
    when = {"field": "when", "sort": list(names), "type": "nominal", "legend": legend}
    ticks = {"values": [0, 0.5, 1]}  # the scale ends beyond 1 to leave room for the number at a full bar
    offset = {"field": "when", "sort": list(names)}
    return {
        **row_height(len(tokens), 13, 2),
        "encoding": {"y": y, "yOffset": offset},
        "layer": [
            {
                "data": {"values": rows},
                "mark": {"type": "bar", "cornerRadiusEnd": 2, "strokeWidth": 1.5},
                "encoding": {
                    "x": {
                        "field": "p",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1.12]},
                        "axis": ticks,
                        "title": value_title,
                    },
                    "fill": {**when, "scale": {"domain": list(names), "range": [colors[7], colors[0]]}},
                    "stroke": by_name("when", dict(zip(names, (colors[7], colors[0]), strict=True))),
                    "fillOpacity": by_name("when", dict(zip(names, (0, 1), strict=True))),
                    "tooltip": [{"field": name, "type": "nominal"} for name in ("token", "when", "p")],
                },
            },
            {
                "data": {"values": rows},
                "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 11, "color": colors[7]},
                "encoding": {
                    "x": {"field": "p", "type": "quantitative"},
                    "text": {"field": "p", "type": "quantitative", "format": ".3f"},
                },
            },
        ],
    }


def ranking(
    labels: Sequence[str],
    values: Sequence[float],
    *,
    mode: Mode = "light",
    value_title: str,
    marked: Sequence[bool] = (),
) -> dict[str, Any]:
    """A Vega-Lite specification: one signed bar for each label, in the order given.

    Args:
        marked: True for bars to stand out.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(labels) != len(values):
        raise ValueError(f"{len(labels)} labels do not match {len(values)} values")
    colors = categorical(mode)
    flags = list(marked) or [False] * len(labels)
    rows = [
        {"label": label, "value": round(float(v), 6), "marked": m}
        for label, v, m in zip(labels, values, flags, strict=True)
    ]
    return {
        **row_height(len(set(labels)), 18),
        "encoding": {
            "y": {
                "field": "label",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"labelOverlap": False, "labelFlush": False, "labelLimit": 260},
            }
        },
        "layer": [
            {
                "data": {"values": rows},
                "mark": {"type": "bar", "cornerRadiusEnd": 2},
                "encoding": {
                    "x": {"field": "value", "type": "quantitative", "title": value_title, "axis": {"tickCount": 6}},
                    "color": {
                        "condition": {"test": "datum.marked", "value": colors[1]},
                        "value": colors[0],
                    },
                    "tooltip": [{"field": "label", "type": "nominal"}, {"field": "value", "type": "quantitative"}],
                },
            }
        ],
    }


def top_of_either(before: NDArray[np.floating], after: NDArray[np.floating], n: int = N_BAR) -> list[int]:
    """Ids of the tokens that are likely in one of two distributions at least, the likeliest before first."""
    either = np.maximum(before, after)
    top = [i for i in np.argsort(-either, kind="stable")[:n] if either[i] >= LEAST] or [int(either.argmax())]
    return [int(i) for i in sorted(top, key=lambda i: -before[i])]
