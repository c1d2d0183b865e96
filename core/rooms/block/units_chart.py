"""Distributions and nonlinearities: histograms beside a normal curve, units on their bend, curves of functions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import DASHES, table
from core.charts.theme import Mode, categorical

Spec = dict[str, Any]


def histogram(
    edges: Sequence[float],
    counts: Sequence[float],
    normal: Sequence[float] | None = None,
    *,
    title: str,
    mode: Mode = "light",
    second: bool = False,
    height: int = 170,
) -> Spec:
    """A Vega-Lite specification: bars of counts, and a line for what a normal distribution would give.

    Args:
        edges: (n + 1,) of the bins, rising.
        counts: (n,) numbers in each bin.
        normal: (n,) expected counts of a normal distribution; None: no line.
        title: of the x axis.
        second: the second color, for the second of two.

    Raises:
        ValueError: if the lengths do not match.
    """
    if len(edges) != len(counts) + 1 or (normal is not None and len(normal) != len(counts)):
        raise ValueError(f"{len(edges)} edges do not match {len(counts)} counts")
    rows = [
        {"low": float(a), "high": float(b), "middle": (float(a) + float(b)) / 2, "count": float(n)}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    colors = categorical(mode)
    x = {
        "field": "low",
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [float(edges[0]), float(edges[-1])], "nice": False},
        "axis": {"tickCount": 6},
    }
    y = {"field": "count", "type": "quantitative", "title": "how many", "axis": {"tickCount": 4, "tickMinStep": 1}}
    layers: list[Spec] = [
        {
            "data": {"values": rows},
            "mark": {"type": "bar", "color": colors[2 if second else 0], "binSpacing": 0.5},
            "encoding": {
                "x": x | {"bin": "binned"},
                "x2": {"field": "high"},
                "y": y,
                "tooltip": [
                    {"field": "low", "type": "quantitative", "format": ".3f", "title": "from"},
                    {"field": "high", "type": "quantitative", "format": ".3f", "title": "to"},
                    {"field": "count", "type": "quantitative"},
                ],
            },
        }
    ]
    if normal is not None:
        line = [row | {"count": float(n)} for row, n in zip(rows, normal, strict=True)]
        layers.append(
            {
                "data": {"values": line},
                "mark": {"type": "line", "color": colors[7], "strokeDash": [5, 3], "strokeWidth": 1.5},
                "encoding": {"x": x | {"field": "middle"}, "y": y},
            }
        )
    return {"height": height, "layer": layers}


def units_on_their_bend(pre: Sequence[float], act: Sequence[float], *, mode: Mode = "light", height: int = 230) -> Spec:
    """A Vega-Lite specification: each unit as a dot, its number before and after the nonlinearity; filled where on.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(pre) != len(act):
        raise ValueError(f"{len(pre)} numbers before do not match {len(act)} after")
    rows = [
        {"unit": i, "before": round(float(a), 5), "after": round(float(b), 5), "state": "on" if a > 0 else "off"}
        for i, (a, b) in enumerate(zip(pre, act, strict=True))
    ]
    colors = categorical(mode)
    return {
        "height": height,
        **table(rows),
        "mark": {"type": "point", "size": 34, "opacity": 0.75},
        "encoding": {
            "x": {"field": "before", "type": "quantitative", "title": "before the nonlinearity"},
            "y": {"field": "after", "type": "quantitative", "title": "after it"},
            "shape": {
                "field": "state",
                "scale": {"domain": ["on", "off"], "range": ["triangle-up", "circle"]},
                "legend": {"orient": "top", "title": None},
            },
            "color": {
                "field": "state",
                "scale": {"domain": ["on", "off"], "range": [colors[1], colors[7]]},
                "legend": {"orient": "top", "title": None},
            },
            "tooltip": [
                {"field": "unit", "type": "quantitative"},
                {"field": "before", "type": "quantitative"},
                {"field": "after", "type": "quantitative"},
            ],
        },
    }


def functions(
    x: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    *,
    at: float | None = None,
    y_title: str,
    y_limits: tuple[float, float] | None = None,
    order: Sequence[str] = (),
    mode: Mode = "light",
    height: int = 320,
    format: str = ".4f",
) -> Spec:
    """A Vega-Lite specification: functions of one number, each with a color and a dash of its own.

    Args:
        x: rising.
        curves: name -> a value at each x.
        at: where an upright line stands.
        y_limits: what the y axis shows; the rest is cut off.
        order: all names there may be, so that a function keeps its color when others come and go.

    Raises:
        ValueError: if a length differs.
    """
    for name, values in curves.items():
        if len(values) != len(x):
            raise ValueError(f"{name!r} has {len(values)} values at {len(x)} places")
    names = [name for name in (order or list(curves)) if name in curves]
    place = {name: i for i, name in enumerate(order or names)}
    columns = 2 if max(map(len, names), default=0) <= 9 else 1  # so many letters twice fit half of a projector's width
    colors = categorical(mode)
    rows = [
        {"x": round(float(a), 6), "y": float(b), "name": name}
        for name in names
        for a, b in zip(x, curves[name], strict=True)
    ]
    axis = {"field": "x", "type": "quantitative", "title": "x", "scale": {"nice": False}}
    y: Spec = {"field": "y", "type": "quantitative", "title": y_title}
    if y_limits is not None:
        y |= {"scale": {"domain": list(y_limits), "nice": False}}
    color = {
        "field": "name",
        "title": None,
        "scale": {"domain": names, "range": [colors[place[name] % 8] for name in names]},
        # Long samples, so that the dashes can be told apart in them.
        "legend": {
            "orient": "top",
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
            "symbolSize": 420,
            "columns": columns,
        },
    }
    dash = {
        "field": "name",
        "title": None,
        "scale": {"domain": names, "range": [list(DASHES[place[name] % len(DASHES)]) for name in names]},
    }
    tooltip = [
        {"field": "name", "title": "function"},
        {"field": "x", "type": "quantitative", "format": ".2f"},
        {"field": "y", "type": "quantitative", "format": format, "title": y_title},
    ]
    base = {"x": axis, "y": y, "color": color}
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2, "clip": True}, "encoding": base | {"strokeDash": dash}},
        {"mark": {"type": "point", "size": 80, "opacity": 0, "clip": True}, "encoding": base | {"tooltip": tooltip}},
    ]
    if at is not None:
        layers.append(
            {
                "data": {"values": [{"x": at}]},
                "mark": {"type": "rule", "color": colors[7], "strokeDash": [3, 3]},
                "encoding": {"x": axis},
            }
        )
    tall = height + 20 * max(0, math.ceil(len(names) / columns) - 2)  # the names take their room from the picture
    return {"height": tall, **table(rows), "layer": layers}
