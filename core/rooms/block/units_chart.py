"""Distributions and nonlinearities: histograms beside a normal curve, units on their bend, curves of functions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from core.charts.curves import DASHES, table
from core.charts.theme import Mode, categorical
from core.rooms.block.compute.moments import Histogram

Spec = dict[str, Any]
Numbers = Sequence[float] | NDArray[Any]


def histogram(
    bins: Histogram, *, title: str, height: int, mode: Mode = "light", with_normal: bool = False, second: bool = False
) -> Spec:
    """A Vega-Lite specification: bars of counts, and a line for what a normal distribution would give.

    Args:
        title: of the x axis.
        with_normal: whether there is the line.
        second: the second color, for the second of two.
    """
    edges, colors = bins.edges.tolist(), categorical(mode)
    rows = [
        {"low": a, "high": b, "middle": (a + b) / 2, "count": float(n)}
        for a, b, n in zip(edges[:-1], edges[1:], bins.counts, strict=True)
    ]
    scale = {"domain": [edges[0], edges[-1]], "nice": False}
    x = _number("low", title=title, scale=scale, axis={"tickCount": 6})
    y = _number("count", title="how many", axis={"tickCount": 4, "tickMinStep": 1})
    tooltip = [_number("low", format=".3f", title="from"), _number("high", format=".3f", title="to"), _number("count")]
    layers: list[Spec] = [
        {
            "data": {"values": rows},
            "mark": {"type": "bar", "color": colors[2 if second else 0], "binSpacing": 0.5},
            "encoding": {"x": x | {"bin": "binned"}, "x2": {"field": "high"}, "y": y, "tooltip": tooltip},
        }
    ]
    if with_normal and bins.normal is not None:
        line = [row | {"count": float(n)} for row, n in zip(rows, bins.normal, strict=True)]
        mark = {"type": "line", "color": colors[7], "strokeDash": [5, 3], "strokeWidth": 1.5}
        layers.append(
            {"data": {"values": line}, "mark": mark, "encoding": {"x": x | {"field": "middle"}, "y": y}},
        )
    return {"height": height, "layer": layers}


def units_on_their_bend(pre: Numbers, act: Numbers, *, mode: Mode = "light", height: int = 230) -> Spec:
    """A Vega-Lite specification: each unit as a dot, its number before and after the nonlinearity; filled where on."""
    rows = [
        {"unit": i, "before": round(float(a), 5), "after": round(float(b), 5), "state": "on" if a > 0 else "off"}
        for i, (a, b) in enumerate(zip(pre, act, strict=True))
    ]
    colors = categorical(mode)

    def by_state(on: str, off: str) -> Spec:
        scale = {"domain": ["on", "off"], "range": [on, off]}
        return {"field": "state", "scale": scale, "legend": {"orient": "top", "title": None}}

    return {
        "height": height,
        **table(rows),
        "mark": {"type": "point", "size": 34, "opacity": 0.75},
        "encoding": {
            "x": _number("before", title="before the nonlinearity"),
            "y": _number("after", title="after it"),
            "shape": by_state("triangle-up", "circle"),
            "color": by_state(colors[1], colors[7]),
            "tooltip": [_number(name) for name in ("unit", "before", "after")],
        },
    }


def functions(
    x: Numbers,
    curves: Mapping[str, Numbers],
    *,
    y_title: str,
    at: float | None = None,
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
    """
    names = [name for name in (order or list(curves)) if name in curves]
    place = {name: i for i, name in enumerate(order or names)}
    columns = 2 if max(map(len, names), default=0) <= 9 else 1  # so many letters twice fit half of a projector's width
    colors = categorical(mode)
    rows = [
        {"x": round(float(a), 6), "y": float(b), "name": name}
        for name in names
        for a, b in zip(x, curves[name], strict=True)
    ]
    axis = _number("x", title="x", scale={"nice": False})
    limits = {} if y_limits is None else {"scale": {"domain": list(y_limits), "nice": False}}

    def by_name(values: Sequence[Any], **more: Any) -> Spec:
        scale = {"domain": names, "range": [values[place[name] % len(values)] for name in names]}
        return {"field": "name", "title": None, "scale": scale, **more}

    # Long samples in the legend, so that the dashes can be told apart in them.
    legend = {"orient": "top", "symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 420, "columns": columns}
    base = {"x": axis, "y": _number("y", title=y_title, **limits), "color": by_name(colors[:8], legend=legend)}
    dash = by_name([list(one) for one in DASHES])
    tooltip = [
        {"field": "name", "title": "function"},
        _number("x", format=".2f"),
        _number("y", format=format, title=y_title),
    ]
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2, "clip": True}, "encoding": base | {"strokeDash": dash}},
        {"mark": {"type": "point", "size": 80, "opacity": 0, "clip": True}, "encoding": base | {"tooltip": tooltip}},
    ]
    if at is not None:
        rule = {"type": "rule", "color": colors[7], "strokeDash": [3, 3]}
        layers.append({"data": {"values": [{"x": at}]}, "mark": rule, "encoding": {"x": axis}})
    tall = height + 20 * max(0, math.ceil(len(names) / columns) - 2)  # the names take their room from the picture
    return {"height": tall, **table(rows), "layer": layers}


def _number(field: str, **more: Any) -> Spec:
    return {"field": field, "type": "quantitative", **more}
