"""What a model of pictures costs by their size: lines that rise with the area and with its square."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.cost import told_apart
from core.charts.curves import SCHEMA, Spec, table
from core.charts.theme import Mode, categorical, page

HEIGHT = 360


def by_size(
    sizes: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    at: int,
    crossing: tuple[float, float] | None,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: multiply-adds over the height of a picture, both axes logarithmic.

    Args:
        sizes: pixels, rising, above 0.
        lines: name -> multiply-adds, as many as there are sizes.
        at: the size to mark with an upright line.
        crossing: the size where two lines cross, and how high: marked and named; None where they do not.
    """
    rows = [
        {"size": float(size), "value": float(value), "line": name}
        for name, values in lines.items()
        for size, value in zip(sizes, values, strict=True)
    ]
    ends = [min(sizes), max(sizes)]
    ticks = [7 * 2**k if at % 7 == 0 else 2**k for k in range(2, 15)]
    x = {
        "field": "size",
        "type": "quantitative",
        "title": "side of the picture (pixels)",
        "scale": {"type": "log", "base": 2, "domain": ends, "nice": False},
        "axis": {"values": [one for one in ticks if ends[0] <= one <= ends[1]], "format": ",d"},
    }
    powers = range(math.floor(math.log10(min(min(values) for values in lines.values()))), 16)
    y = {
        "field": "value",
        "type": "quantitative",
        "title": "multiply-adds (G: billion)",
        "scale": {"type": "log"},
        "axis": {"format": "~s", "values": [10.0**k for k in powers]},
    }
    line, dash = told_apart(list(lines), mode)
    places = {"x": x, "y": y, "color": line, "strokeDash": dash}
    tooltip = [
        {"field": "line", "title": "model"},
        {"field": "size", "type": "quantitative", "format": ",.0f", "title": "pixels"},
        {"field": "value", "type": "quantitative", "title": "multiply-adds", "format": ",.4~s"},
    ]
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2.5}, "encoding": places},
        {"mark": {"type": "point", "size": 140, "opacity": 0}, "encoding": places | {"tooltip": tooltip}},
        _upright(float(at), f"{at:,} × {at:,}", x, categorical(mode)[7], ends),
    ]
    if crossing is not None and ends[0] <= crossing[0] <= ends[1]:
        layers += _meeting(crossing, x, y, mode, ends)
    return {"$schema": SCHEMA, "height": HEIGHT, **table(rows), "layer": layers}


def _upright(value: float, label: str, x: Spec, color: str, ends: Sequence[float]) -> Spec:
    """A dashed upright line with its name on the side where there is room."""
    name = {"type": "text", **_beside(value, ends, 6), "fontSize": 12, "fontWeight": 600, "color": color}
    rule = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": color}
    return {
        "data": {"values": [{"size": value, "label": label}]},
        "layer": [
            {"mark": rule, "encoding": {"x": x}},
            {"mark": name, "encoding": {"x": x, "y": {"value": 10}, "text": {"field": "label"}}},
        ],
    }


def _meeting(at: tuple[float, float], x: Spec, y: Spec, mode: Mode, ends: Sequence[float]) -> list[Spec]:
    """A ring where two lines cross, with the size in words below it, readable over the upright line."""
    color = categorical(mode)[7]
    text = {"type": "text", **_beside(at[0], ends, 4), "dy": 18, "fontSize": 12, "fontWeight": 600}
    marks: list[Spec] = [
        {"type": "point", "size": 110, "strokeWidth": 2, "color": color},
        {**text, "stroke": page(mode), "strokeWidth": 5, "fill": page(mode)},
        {**text, "fill": color},
    ]
    data = {"values": [{"size": at[0], "value": at[1], "label": f"cross at {at[0]:,.0f}"}]}
    places = [{"x": x, "y": y} | ({"text": {"field": "label"}} if mark["type"] == "text" else {}) for mark in marks]
    return [{"data": data, "mark": m, "encoding": e} for m, e in zip(marks, places, strict=True)]


def _beside(value: float, ends: Sequence[float], gap: int) -> dict[str, Any]:
    """On which side of its place a name stands: where there is room."""
    is_right = math.log(value / ends[0]) > 0.5 * math.log(ends[1] / ends[0])
    return {"align": "right", "dx": -gap} if is_right else {"align": "left", "dx": gap}
