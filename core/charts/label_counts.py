"""Accuracy against the number of labelled examples, each doubling taking the same room."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import DASHES, SCHEMA, Spec
from core.charts.theme import Mode, categorical


def label_counts(
    curves: Mapping[str, Sequence[float]],
    sizes: Sequence[int],
    *,
    marked: int,
    chance: float,
    x_title: str,
    y_title: str,
    mode: Mode = "light",
    height: int = 280,
) -> Spec:
    """A Vega-Lite specification: one line for each name over a logarithmic axis, told apart by color, dash and dots.

    Args:
        curves: name -> one share for each size.
        sizes: numbers of labelled examples, rising, above 0.
        marked: the size where an upright line is drawn.
        chance: the share that guessing reaches, drawn as a dashed rule.

    Raises:
        ValueError: if a curve has not as many values as there are sizes.
    """
    for name, values in curves.items():
        if len(values) != len(sizes):
            raise ValueError(f"{name!r} has {len(values)} values for {len(sizes)} sizes")
    rows = [
        {"size": size, "share": round(float(value), 4), "name": name}
        for name, values in curves.items()
        for size, value in zip(sizes, values, strict=True)
    ]
    names, colors = list(curves), categorical(mode)
    look: dict[str, Any] = {"field": "name", "type": "nominal", "title": None}
    # Small dots on the line: in a legend the dash tells more.
    legend = {"orient": "top", "columns": 1, "labelLimit": 320, "symbolType": "stroke", "symbolStrokeWidth": 3}
    legend |= {"symbolSize": 420}
    color = {**look, "scale": {"domain": names, "range": colors[: len(names)]}, "legend": legend}
    dash = {**look, "scale": {"domain": names, "range": [list(DASHES[i]) for i in range(len(names))]}}
    scale = {"type": "log", "domain": [sizes[0] * 0.9, sizes[-1] * 1.25], "nice": False}
    x: dict[str, Any] = {"field": "size", "type": "quantitative", "title": x_title, "scale": scale}
    x["axis"] = {"values": list(sizes), "format": ",d", "grid": False}
    y: dict[str, Any] = {"field": "share", "type": "quantitative", "title": y_title}
    y |= {"scale": {"domain": [0.4, 1.02], "nice": False, "zero": False}, "axis": {"tickCount": 6, "format": ".0%"}}
    places = {"x": x, "y": y, "color": color}
    tooltip = [
        {"field": "name", "title": "model"},
        {"field": "size", "type": "quantitative", "title": x_title, "format": ",d"},
        {"field": "share", "type": "quantitative", "title": y_title, "format": ".1%"},
    ]
    ink = categorical(mode)[7]
    rule = {"type": "rule", "strokeDash": [4, 4], "color": ink}
    layers: list[Spec] = [
        {
            "data": {"values": [{"share": chance}]},
            "mark": rule,
            "encoding": {"y": y},
        },
        {
            "data": {"values": [{"size": marked}]},
            "mark": rule,
            "encoding": {"x": x},
        },
        {"mark": {"type": "line", "strokeWidth": 2.5}, "encoding": {**places, "strokeDash": dash}},
        {"mark": {"type": "point", "filled": True, "size": 40, "opacity": 1}, "encoding": places},
        {"mark": {"type": "point", "size": 160, "opacity": 0}, "encoding": {**places, "tooltip": tooltip}},
    ]
    return {"$schema": SCHEMA, "data": {"values": rows}, "height": height + 40, "layer": layers}
