"""Heads ranked by a score: bars, with the threshold that gives a name and what no preference at all would score."""

from collections.abc import Sequence
from typing import Any

from core.charts.curves import row_height
from core.charts.theme import Mode, accent, categorical


def scores(
    labels: Sequence[str],
    values: Sequence[float],
    *,
    threshold: float,
    chance: float | None = None,
    mode: Mode = "light",
    value_title: str,
) -> dict[str, Any]:
    """A Vega-Lite specification: one bar for each label, in the order given, on a fixed axis from 0 to 1.

    Args:
        labels: of the heads, each once.
        values: their scores, 0 to 1.
        threshold: drawn as a line; bars that reach it are filled.
        chance: drawn as a dashed line; None or nan: no line.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(labels) != len(values):
        raise ValueError(f"{len(labels)} labels do not match {len(values)} values")
    colors = categorical(mode)
    rows = [
        {"head": label, "score": round(float(value), 4), "reaches": bool(value >= threshold)}
        for label, value in zip(labels, values, strict=True)
    ]
    x = {
        "field": "score",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2f"},
        "title": value_title,
    }
    y = {
        "field": "head",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelOverlap": False, "labelFlush": False},
    }
    fill = {"condition": {"test": "datum.reaches", "value": colors[0]}, "value": "transparent"}
    marks: list[dict[str, Any]] = [
        {
            "data": {"values": rows},
            "mark": {"type": "bar", "cornerRadiusEnd": 2, "stroke": colors[0], "strokeWidth": 1},
            "encoding": {"x": x, "y": y, "color": fill, "tooltip": [{"field": n} for n in ("head", "score")]},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 11, "color": colors[7]},
            "encoding": {
                "x": {"field": "score", "type": "quantitative"},
                "y": y,
                "text": {"field": "score", "type": "quantitative", "format": ".2f"},
            },
        },
        _line(threshold, "named from here", accent(mode), []),
    ]
    if chance is not None and chance == chance:
        marks.append(_line(chance, "all alike", colors[7], [4, 3]))
    return {**row_height(len(rows), 15), "padding": {"top": 18, "left": 5, "right": 5, "bottom": 5}, "layer": marks}


def _line(value: float, label: str, color: str, dash: list[int]) -> dict[str, Any]:
    data = {"values": [{"at": round(value, 4), "label": label}]}
    x = {"field": "at", "type": "quantitative"}
    text = {"type": "text", "y": -8, "fontSize": 11, "color": color}
    return {
        "data": data,
        "layer": [
            {"mark": {"type": "rule", "color": color, "strokeDash": dash}, "encoding": {"x": x}},
            {"mark": text, "encoding": {"x": x, "text": {"field": "label"}}},
        ],
    }
