"""What a model of pictures costs by their size: lines that rise with the area and with its square."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import SCHEMA, Spec
from core.charts.theme import Mode, accent, categorical

HEIGHT = 320
DASHES = ([1, 0], [7, 4], [2, 3])


def by_size(
    sizes: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    at: int,
    crossing: float | None,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: multiply-adds over the height of a picture, both axes logarithmic.

    Args:
        sizes: pixels, rising, above 0.
        lines: name -> multiply-adds, as many as there are sizes.
        at: the size to mark with an upright line.
        crossing: the size where two lines cross, marked and named; None where they do not.

    Raises:
        ValueError: if a line has another number of values.
    """
    for name, values in lines.items():
        if len(values) != len(sizes):
            raise ValueError(f"{name!r} has {len(values)} values for {len(sizes)} sizes")
    rows = [
        {"size": float(size), "value": float(value), "line": name}
        for name, values in lines.items()
        for size, value in zip(sizes, values, strict=True)
    ]
    names, colors = list(lines), categorical(mode)
    ends = [min(sizes), max(sizes)]
    ticks = [7 * 2**k if at % 7 == 0 else 2**k for k in range(2, 15)]
    x = {
        "field": "size",
        "type": "quantitative",
        "title": "height and width of the picture (pixels)",
        "scale": {"type": "log", "base": 2, "domain": ends, "nice": False},
        "axis": {"values": [one for one in ticks if ends[0] <= one <= ends[1]], "format": ",d"},
    }
    powers = range(math.floor(math.log10(min(min(values) for values in lines.values()))), 16)
    y = {
        "field": "value",
        "type": "quantitative",
        "title": "multiply-adds of one picture",
        "scale": {"type": "log"},
        "axis": {"format": "~s", "values": [10.0**k for k in powers]},
    }
    legend = {"orient": "top", "columns": 1, "labelLimit": 420, "symbolType": "stroke", "symbolStrokeWidth": 4}
    line = {
        "field": "line",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": colors[: len(names)]},
        "legend": legend,
    }
    dash = {**line, "scale": {"domain": names, "range": [DASHES[i % 3] for i in range(len(names))]}}
    tooltip = [
        {"field": "line", "title": "model"},
        {"field": "size", "type": "quantitative", "format": ",.0f", "title": "pixels"},
        {"field": "value", "type": "quantitative", "title": "multiply-adds", "format": ",.4~s"},
    ]
    mark = {"type": "line", "strokeWidth": 2.5}
    layers: list[Spec] = [
        {"mark": mark, "encoding": {"x": x, "y": y, "color": line, "strokeDash": dash}},
        {
            "mark": {"type": "point", "size": 140, "opacity": 0},
            "encoding": {"x": x, "y": y, "color": line, "tooltip": tooltip},
        },
        _upright(float(at), f"{at:,} × {at:,}", x, colors[7], 10, ends),
    ]
    if crossing is not None and ends[0] <= crossing <= ends[1]:
        layers.append(_upright(crossing, f"they cross at {crossing:,.0f}", x, accent(mode), 28, ends))
    return {"$schema": SCHEMA, "height": HEIGHT, "data": {"values": rows}, "layer": layers}


def _upright(value: float, label: str, x: Spec, color: str, y: int, ends: Sequence[float]) -> Spec:
    """A dashed upright line with its name on the side where there is room."""
    is_right = math.log(value / ends[0]) > 0.5 * math.log(ends[1] / ends[0])
    name: dict[str, Any] = {
        "type": "text",
        "align": "right" if is_right else "left",
        "dx": -6 if is_right else 6,
        "fontSize": 12,
        "fontWeight": 600,
        "color": color,
    }
    rule = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": color}
    return {
        "data": {"values": [{"size": value, "label": label}]},
        "layer": [
            {"mark": rule, "encoding": {"x": x}},
            {"mark": name, "encoding": {"x": x, "y": {"value": y}, "text": {"field": "label"}}},
        ],
    }
