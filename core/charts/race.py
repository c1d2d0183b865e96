"""Several measured curves on one chart, with lines to compare with: variants of a model that train side by side."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from core.charts.curves import DASHES, MAX_POINTS, SCHEMA, Reference, Spec, table
from core.charts.theme import Mode, categorical, page

LEGEND_ROW = 20  # css pixels
_VALUE = {"field": "value", "type": "quantitative"}
# name -> (steps, values)
Curves = Mapping[str, tuple[Sequence[float] | NDArray[Any], Sequence[float] | NDArray[Any]]]


def race(
    curves: Curves,
    references: Sequence[Reference] = (),
    *,
    title: str = "",
    y_title: str,
    n_step: float,
    x_title: str = "training step",
    x_format: str = ",d",
    mode: Mode = "light",
    y_limits: tuple[float, float] | None = None,
    hidden: Sequence[str] = (),
    height: int = 280,
) -> Spec:
    """A Vega-Lite specification: one curve for each name; each has a color and a dash of its own.

    The axis of steps has its full length from the beginning, so that a running curve grows into it. Names keep their
    colors when others have no points yet, or are hidden.

    Args:
        curves: name -> (steps, values), steps rising; of long ones every n-th point is drawn.
        references: values to compare with, drawn as dashed rules with their names.
        title: above the chart; without one there is none.
        y_title: what the values are, with their unit.
        n_step: of the whole run: the length of the axis.
        x_title: what the steps are, where they are not training steps.
        x_format: how d3 writes a step.
        y_limits: fixed ends of the upright axis; None: from 0 to a little above the largest value.
        hidden: names whose curve is not drawn, such as one that has still to be guessed.
        height: of the picture with one row of names, in css pixels; further rows are added.

    Raises:
        ValueError: if a curve has not as many steps as values, or a hidden name is none of the curves.
    """
    for name, (steps, values) in curves.items():
        if len(steps) != len(values):
            raise ValueError(f"{name!r} has {len(steps)} steps and {len(values)} values")
    if unknown := set(hidden) - set(curves):
        raise ValueError(f"{sorted(unknown)} are none of the curves {list(curves)}")
    rows: list[dict[str, Any]] = [
        {"step": float(step), "value": float(value), "name": name}
        for name, (steps, values) in curves.items()
        if name not in hidden
        for step, value in _thin(list(zip(steps, values, strict=True)))
        if math.isfinite(value)
    ]
    lines = [one for one in references if math.isfinite(one.value)]
    if y_limits is None:
        y_limits = 0.0, max([row["value"] for row in rows] + [one.value for one in lines] + [1e-6]) * 1.12
    y = {
        "field": "value",
        "type": "quantitative",
        "title": y_title,
        "scale": {"domain": list(y_limits), "nice": False, "zero": False},
        "axis": {"tickCount": 5},
    }
    x = {
        "field": "step",
        "type": "quantitative",
        "title": x_title,
        "scale": {"domain": [0, max(n_step, 1e-9)], "nice": False},
        "axis": {"tickCount": 6, "format": x_format} | ({"tickMinStep": 1} if x_format == ",d" else {}),
    }
    names, colors = list(curves), categorical(mode)
    # Two short names fit beside each other on a phone.
    columns = 2 if max(map(len, names), default=0) <= 12 else 1
    legend = {"orient": "top", "columns": columns, "labelLimit": 300, "symbolType": "stroke", "symbolSize": 420}
    color = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [colors[i % len(colors)] for i in range(len(names))]},
        "legend": {**legend, "symbolStrokeWidth": 3},
    }
    dash = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [list(DASHES[i % len(DASHES)]) for i in range(len(names))]},
    }
    tooltip = [
        {"field": "name", "title": "curve"},
        {"field": "step", "title": x_title, "type": "quantitative", "format": x_format},
        {"field": "value", "type": "quantitative", "title": y_title, "format": ".3f"},
    ]
    places = {"x": x, "y": y, "color": color}
    crowded = [line for line in lines if _is_crowded(line.value, rows, n_step, y_limits)]
    layers: list[Spec] = [
        *_rules(lines, mode),
        {"mark": {"type": "line", "strokeWidth": 2.5, "clip": True}, "encoding": {**places, "strokeDash": dash}},
        # A line needs two points; and a wider place lets the pointer find each of them.
        {"mark": {"type": "point", "filled": True, "size": 14, "opacity": 0.9, "clip": True}, "encoding": places},
        *_names(lines, mode, crowded),
        {
            "mark": {"type": "point", "size": 120, "opacity": 0, "clip": True},
            "encoding": {**places, "tooltip": tooltip},
        },
    ]
    if not rows:  # all are hidden: a layer of no points has no name for a screen reader
        layers = [one for one in layers if one["mark"]["type"] != "point"]
    n_row = math.ceil(len(names) / columns)
    tall = height + LEGEND_ROW * (n_row - 1)  # the names take their room from the picture
    spec: Spec = {"$schema": SCHEMA, **table(rows), "height": tall, "layer": layers}
    return spec | ({"title": {"text": title, "anchor": "start", "fontSize": 14}} if title else {})


def _thin(points: list[Any]) -> list[Any]:
    """Every n-th point and the last: more than a chart can show are not sent."""
    stride = math.ceil(len(points) / MAX_POINTS) or 1
    return points[::stride] + (points[-1:] if (len(points) - 1) % stride else [])


def _is_crowded(value: float, rows: Sequence[Mapping[str, Any]], n_step: float, limits: tuple[float, float]) -> bool:
    """Whether more points lie where the name above a rule would stand than where it would stand below."""
    room = 0.1 * (limits[1] - limits[0])
    near = [row["value"] - value for row in rows if row["step"] > n_step / 2 and abs(row["value"] - value) <= room]
    return sum(distance > room / 10 for distance in near) > sum(distance < -room / 10 for distance in near)


def _rules(lines: Sequence[Reference], mode: Mode) -> list[Spec]:
    """A dashed rule for each reference."""
    rule = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": categorical(mode)[7], "opacity": 0.8}
    rows = [{"value": one.value} for one in lines]
    return [{"data": {"values": rows}, "mark": rule, "encoding": {"y": _VALUE}}] if lines else []


def _names(lines: Sequence[Reference], mode: Mode, below: Sequence[Reference]) -> list[Spec]:
    """The name of each reference, above the right end of its rule, or below it where curves run above."""
    # A rim, and then the name, so that it is read where a curve runs behind.
    rim = {"stroke": page(mode), "strokeWidth": 4, "strokeJoin": "round"}
    names: list[Spec] = []
    for dy, here in ((-8, [one for one in lines if one not in below]), (10, below)):
        for look in (rim, {}):
            mark = {"type": "text", "align": "right", "dx": -4, "dy": dy, "fontSize": 12, "color": categorical(mode)[7]}
            rows = [{"value": one.value, "label": one.label} for one in here]
            encoding = {"y": _VALUE, "x": {"value": "width"}, "text": {"field": "label"}}
            names += [{"data": {"values": rows}, "mark": mark | look, "encoding": encoding}] if here else []
    return names
