"""Functions of one number as lines: bias by distance, similarity by distance, bucket by offset."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from core.charts.curves import DASHES, SCHEMA, Curve, Spec, table, whole_ticks
from core.charts.theme import Mode, categorical

LEGEND_ROW = 20  # css pixels
TWO_BESIDE = 16  # two names of so many characters fit beside each other in half a projector's width


def lines(
    curves: Sequence[Curve],
    *,
    x_title: str,
    y_title: str,
    mode: Mode = "light",
    height: int = 300,
    steps: bool = False,
    y_range: tuple[float, float] | None = None,
    marked: float | None = None,
    legend_title: str | None = None,
) -> Spec:
    """A Vega-Lite specification: one line for each curve, told apart by color and dash.

    Args:
        curves: with labels that differ; at most some hundreds of points each.
        x_title, y_title: what the axes are, with their units.
        steps: whether the value stays until the next point, as for buckets.
        y_range: a fixed range for the upright axis.
        height: of the picture with one row of names, in css pixels; further rows are added.
        marked: an x where an upright line is drawn.
        legend_title: what the labels are; without one they say it themselves.

    Raises:
        ValueError: if two curves have one label, or a curve's x and y differ in length.
    """
    labels = [curve.label for curve in curves]
    if len(set(labels)) != len(labels):
        raise ValueError(f"the labels of the curves must differ, not {labels}")
    for curve in curves:
        if len(curve.x) != len(curve.y):
            raise ValueError(f"{curve.label!r} has {len(curve.x)} places and {len(curve.y)} values")
    rows = [
        {"x": float(x), "y": round(float(y), 6), "series": curve.label}
        for curve in curves
        for x, y in zip(curve.x, curve.y, strict=True)
    ]
    colors, n = categorical(mode), len(labels)
    y_scale: Spec = {"zero": False} if y_range is None else {"domain": list(y_range), "nice": False}
    encoding: Spec = {
        "x": {
            "field": "x",
            "type": "quantitative",
            "title": x_title,
            "scale": {"nice": False},
            "axis": {"tickCount": 8, **whole_ticks(row["x"] for row in rows)},
        },
        "y": {
            "field": "y",
            "type": "quantitative",
            "title": y_title,
            "scale": y_scale,
            "axis": {"tickCount": 5, **whole_ticks(row["y"] for row in rows)},
        },
    }
    if n > 1:
        columns = 2 if max(map(len, labels)) <= TWO_BESIDE else 1
        height += LEGEND_ROW * (ceil(n / columns) - 1)  # the names take their room from the picture
        legend = {
            "orient": "top",
            "columns": columns,
            "labelLimit": 300,
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
            "symbolSize": 400,
        }
        look = {"field": "series", "type": "nominal", "title": legend_title, "sort": None}
        encoding["color"] = {
            **look,
            "scale": {"domain": labels, "range": [colors[i % len(colors)] for i in range(n)]},
            "legend": legend,
        }
        dashes = [list(DASHES[(i // len(colors) + i) % len(DASHES)]) for i in range(n)]
        encoding["strokeDash"] = {**look, "scale": {"domain": labels, "range": dashes}, "legend": legend}
    tooltip: list[Spec] = [
        *([{"field": "series", "title": "line"}] if n > 1 else []),
        {"field": "x", "type": "quantitative", "title": x_title},
        {"field": "y", "type": "quantitative", "title": y_title, "format": ".4~f"},
    ]
    line: Spec = {"type": "line", "strokeWidth": 2, "clip": True, "interpolate": "step" if steps else "linear"}
    if n == 1:
        line["color"] = colors[0]
    layers: list[dict[str, Any]] = [
        {"mark": line, "encoding": encoding},
        # Nothing to see: a wider place for the pointer to find each point.
        {
            "mark": {"type": "point", "size": 100, "opacity": 0, "clip": True},
            "encoding": {"x": encoding["x"], "y": encoding["y"], "tooltip": tooltip},
        },
    ]
    if marked is not None:
        layers.append(
            {
                "data": {"values": [{"x": float(marked)}]},
                "mark": {"type": "rule", "strokeDash": [4, 4], "color": colors[7]},
                "encoding": {"x": {"field": "x", "type": "quantitative"}},
            }
        )
    return {"$schema": SCHEMA, **table(rows), "height": height, "layer": layers}
