"""What changes with the width of queries and keys: two lines on a logarithmic axis, and bars at one width."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from core.charts.curves import table
from core.charts.theme import Mode, accent, categorical

NAMES = ("without the root", "with the root")
Spec = dict[str, Any]


def width_curve(
    widths: Sequence[int],
    without: Sequence[float],
    with_root: Sequence[float],
    *,
    at: tuple[int, float, float],
    title: str,
    log: bool = False,
    limit: tuple[float, str] | None = None,
    mode: Mode = "light",
    height: int = 260,
) -> Spec:
    """A Vega-Lite specification: one quantity by width, without (dashed, orange) and with the root (blue).

    Args:
        widths: rising.
        without, with_root: the quantity at each width.
        at: the chosen width and the quantity there, (width, without, with): an upright line and two dots.
        title: of the quantity, with its unit.
        log: whether the quantity's axis is logarithmic too.
        limit: a value that cannot be exceeded, and its name.

    Raises:
        ValueError: if the lengths differ.
    """
    if not len(widths) == len(without) == len(with_root):
        raise ValueError(f"{len(widths)} widths do not match {len(without)} and {len(with_root)} values")
    rows = [
        {"width": int(w), "value": float(v), "how": name}
        for name, values in zip(NAMES, (without, with_root), strict=True)
        for w, v in zip(widths, values, strict=True)
    ]
    dots = [{"width": at[0], "value": float(v), "how": name} for name, v in zip(NAMES, at[1:], strict=True)]
    x = {
        "field": "width",
        "type": "quantitative",
        "title": "width of a query",
        "scale": {"type": "log", "base": 2, "domain": [min(widths), max(widths)], "nice": False},
        "axis": {"values": [4, 8, 16, 32, 64, 128, 256, 512], "format": "d"},
    }
    y: Spec = {"field": "value", "type": "quantitative", "title": title, "axis": {"tickCount": 4}}
    if log:
        low, high = (math.log10(end(*without, *with_root, *at[1:])) for end in (min, max))
        y |= {
            "scale": {"type": "log", "domain": [10 ** math.floor(low), 10 ** math.ceil(high)]},
            "axis": {"tickCount": 4, "format": ",~g"},
        }
    color = _color(mode)
    color["legend"] |= {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 400, "columns": 1}
    encoding = {"x": x, "y": y, "color": color}
    # The same legend as the color's: Vega-Lite merges the two, so that it shows the dashes.
    dash = color | {"scale": {"domain": list(NAMES), "range": [[6, 4], [1, 0]]}}
    tooltip = [
        {"field": "how", "type": "nominal", "title": "softmax"},
        {"field": "width", "type": "quantitative", "title": "width"},
        {"field": "value", "type": "quantitative", "title": title, "format": ".3f"},
    ]
    layers: list[Spec] = [
        {
            "data": {"values": [{"width": at[0]}]},
            "mark": {"type": "rule", "color": accent(mode), "strokeWidth": 1.5},
            "encoding": {"x": x},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": encoding | {"strokeDash": dash},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "point", "size": 90, "opacity": 0},
            "encoding": encoding | {"tooltip": tooltip},
        },
        {
            "data": {"values": dots},
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": encoding | {"tooltip": tooltip},
        },
    ]
    if limit is not None:
        y["scale"] = {"domain": [0, round(limit[0] * 1.2, 2)], "nice": False}
        quiet = categorical(mode)[7]
        most = {"data": {"values": [{"value": limit[0], "label": limit[1]}]}}
        layers += [
            most | {"mark": {"type": "rule", "strokeDash": [2, 3], "color": quiet}, "encoding": {"y": y}},
            most
            | {
                "mark": {"type": "text", "align": "right", "dy": -8, "fontSize": 11, "color": quiet},
                "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "label"}},
            },
        ]
    return {"height": height, "layer": layers}


def weight_bars(
    without: Sequence[float], with_root: Sequence[float], *, mode: Mode = "light", height: int = 260
) -> Spec:
    """A Vega-Lite specification: the weights of one query on each key, upward without and downward with the root.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(without) != len(with_root):
        raise ValueError(f"{len(without)} weights do not match {len(with_root)}")
    rows = [
        {"key": key, "weight": round(float(v), 6), "end": sign * round(float(v), 6), "how": name}
        for name, sign, values in zip(NAMES, (1, -1), (without, with_root), strict=True)
        for key, v in enumerate(values)
    ]
    color = _color(mode)
    words = [{"at": sign, "how": name} for name, sign in zip(NAMES, (1, -1), strict=True)]
    y = {
        "field": "end",
        "type": "quantitative",
        "scale": {"domain": [-1, 1]},
        "title": "weight",
        "axis": {"values": [-1, -0.5, 0, 0.5, 1], "labelExpr": "format(abs(datum.value), '.1f')"},
    }
    x = {
        "field": "key",
        "type": "ordinal",
        "title": "key",
        "axis": {"values": list(range(0, len(without), 8)), "labelAngle": 0},
    }
    tooltip = [
        {"field": "how", "type": "nominal", "title": "softmax"},
        {"field": "key", "type": "ordinal"},
        {"field": "weight", "type": "quantitative", "format": ".4f"},
    ]
    bars: Spec = {
        "mark": {"type": "bar", "cornerRadiusEnd": 1},
        "encoding": {"x": x, "y": y, "color": color | {"legend": None}, "tooltip": tooltip},
    }
    names: Spec = {
        "data": {"values": words},
        "mark": {"type": "text", "align": "right", "dy": {"expr": "datum.at > 0 ? 8 : -8"}, "fontSize": 12},
        "encoding": {
            "x": {"value": "width"},
            "y": {"field": "at", "type": "quantitative"},
            "text": {"field": "how"},
            "color": color | {"legend": None},
        },
    }
    return {"height": height, **table(rows), "layer": [bars, names]}


def length_bars(
    without: Sequence[float], with_root: Sequence[float], *, mode: Mode = "light", height: int = 260
) -> Spec:
    """A Vega-Lite specification: how many lengths lie in each half decade, upward without, downward with the root.

    Lengths below the lowest bin are counted in it. A line marks the mean of each side, a dashed one its median.
    """
    edges = [10 ** (power / 2) for power in range(-8, 5)]  # 0.0001 to 100
    bins: list[Spec] = []
    marks: list[Spec] = []
    most = 1
    for name, sign, values in zip(NAMES, (1, -1), (without, with_root), strict=True):
        inside = [min(max(float(v), edges[0]), edges[-1] * (1 - 1e-9)) for v in values]
        for low, high in pairwise(edges):
            count = sum(low <= v < high for v in inside)
            most = max(most, count)
            bins.append({"low": low, "high": high, "count": count, "end": sign * count, "zero": 0, "how": name})
        ranked = sorted(map(float, values))
        middle = (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2
        for what, value in (("mean", sum(ranked) / len(ranked)), ("median", middle)):
            at = min(max(value, edges[0]), edges[-1])
            marks.append({"at": at, "value": value, "what": what, "how": name, "side": sign, "zero": 0})
    color = _color(mode)
    for one in marks:
        one["end"] = one["side"] * most * 1.25
    x = {
        "field": "low",
        "type": "quantitative",
        "title": "length of the gradient at a query",
        "scale": {"type": "log", "domain": [edges[0], edges[-1]], "nice": False},
        "axis": {"values": [0.0001, 0.01, 1, 100], "format": "~g"},
    }
    y = {
        "field": "end",
        "type": "quantitative",
        "scale": {"domain": [-most * 1.5, most * 1.5], "nice": False},
        "title": "queries",
        "axis": {"tickCount": 5, "tickMinStep": 1, "labelExpr": "format(abs(datum.value), 'd')"},
    }
    bars: Spec = {
        "data": {"values": bins},
        "mark": {"type": "rect", "cornerRadius": 1},
        "encoding": {
            "x": x,
            "x2": {"field": "high"},
            "y": y,
            "y2": {"field": "zero"},
            "color": color,
            "tooltip": [
                {"field": "how", "type": "nominal", "title": "softmax"},
                {"field": "low", "type": "quantitative", "title": "from", "format": ".2g"},
                {"field": "high", "type": "quantitative", "title": "to", "format": ".2g"},
                {"field": "count", "type": "quantitative", "title": "queries"},
            ],
        },
    }
    across = x | {"field": "at"}
    lines: Spec = {
        "data": {"values": marks},
        "mark": {"type": "rule", "strokeWidth": 1.5, "color": categorical(mode)[7]},
        "encoding": {
            "x": across,
            "y": y | {"field": "zero"},
            "y2": {"field": "end"},
            "strokeDash": {
                "field": "what",
                "scale": {"domain": ["mean", "median"], "range": [[1, 0], [4, 3]]},
                "legend": None,
            },
            "tooltip": [
                {"field": "how", "type": "nominal", "title": "softmax"},
                {"field": "what", "type": "nominal", "title": "of all queries"},
                {"field": "value", "type": "quantitative", "format": ".3f"},
            ],
        },
    }
    return {"height": height, "layer": [bars, lines]}


def _color(mode: Mode) -> Spec:
    colors = categorical(mode)
    return {
        "field": "how",
        "sort": list(NAMES),
        "title": None,
        "scale": {"domain": list(NAMES), "range": [colors[1], colors[0]]},
        "legend": {"orient": "top", "title": None},
    }
