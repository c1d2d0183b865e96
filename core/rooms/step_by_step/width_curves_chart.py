"""What changes with the width of queries and keys: two lines on a logarithmic axis, and bars at one width."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.charts.curves import table
from core.charts.theme import Mode, accent, categorical

NAMES = ("without the root", "with the root")
HEIGHT = 260
EDGES = [10 ** (power / 2) for power in range(-8, 5)]  # of the bins of lengths: 0.0001 to 100
HOW = {"field": "how", "type": "nominal", "title": "softmax"}
Spec = dict[str, Any]
Values = Sequence[float] | NDArray[Any]


def width_curve(
    widths: Sequence[int],
    without: Values,
    with_root: Values,
    *,
    at: tuple[int, float, float],
    title: str,
    log: bool = False,
    limit: tuple[float, str] | None = None,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: one quantity by width, without (dashed, orange) and with the root (blue).

    Args:
        widths: rising.
        without, with_root: the quantity at each width.
        at: the chosen width and the quantity there, (width, without, with): an upright line and two dots.
        title: of the quantity, with its unit.
        log: whether the quantity's axis is logarithmic too.
        limit: a value that cannot be exceeded, and its name.
    """
    rows = [
        {"width": int(w), "value": float(v), "how": name}
        for name, values in zip(NAMES, (without, with_root), strict=True)
        for w, v in zip(widths, values, strict=True)
    ]
    dots = [{"width": at[0], "value": float(v), "how": name} for name, v in zip(NAMES, at[1:], strict=True)]
    x = _number("width", "width of a query") | {
        "scale": {"type": "log", "base": 2, "domain": [min(widths), max(widths)], "nice": False},
        "axis": {"values": [4, 8, 16, 32, 64, 128, 256, 512], "format": "d"},
    }
    y = _number("value", title) | {"axis": {"tickCount": 4}}
    if log:
        low, high = (math.log10(end(*without, *with_root, *at[1:])) for end in (min, max))
        y["scale"] = {"type": "log", "domain": [10 ** math.floor(low), 10 ** math.ceil(high)]}
        y["axis"] = {"tickCount": 4, "format": ",~g"}
    color = _color(mode)
    color["legend"] |= {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 400, "columns": 1}
    encoding = {"x": x, "y": y, "color": color}
    # The same legend as the color's: Vega-Lite merges the two, so that it shows the dashes.
    dash = color | {"scale": {"domain": list(NAMES), "range": [[6, 4], [1, 0]]}}
    pointed = encoding | {"tooltip": [HOW, _number("width", "width"), _number("value", title, ".3f")]}
    chosen = {"type": "rule", "color": accent(mode), "strokeWidth": 1.5}
    layers = [
        _layer([{"width": at[0]}], chosen, {"x": x}),
        _layer(rows, {"type": "line", "strokeWidth": 2}, encoding | {"strokeDash": dash}),
        _layer(rows, {"type": "point", "size": 90, "opacity": 0}, pointed),
        _layer(dots, {"type": "point", "filled": True, "size": 70, "opacity": 1}, pointed),
    ]
    if limit is not None:
        y["scale"] = {"domain": [0, round(limit[0] * 1.2, 2)], "nice": False}
        most, quiet = [{"value": limit[0], "label": limit[1]}], categorical(mode)[7]
        text = {"type": "text", "align": "right", "dy": -8, "fontSize": 11, "color": quiet}
        layers += [
            _layer(most, {"type": "rule", "strokeDash": [2, 3], "color": quiet}, {"y": y}),
            _layer(most, text, {"y": y, "x": {"value": "width"}, "text": {"field": "label"}}),
        ]
    return {"height": HEIGHT, "layer": layers}


def weight_bars(without: Values, with_root: Values, *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: the weights of one query on each key, upward without and downward with the root."""
    rows = [
        {"key": key, "weight": round(float(v), 6), "end": sign * round(float(v), 6), "how": name}
        for name, sign, values in zip(NAMES, (1, -1), (without, with_root), strict=True)
        for key, v in enumerate(values)
    ]
    color = _color(mode) | {"legend": None}
    y = _number("end", "weight") | {
        "scale": {"domain": [-1, 1]},
        "axis": {"values": [-1, -0.5, 0, 0.5, 1], "labelExpr": "format(abs(datum.value), '.1f')"},
    }
    places = {"values": list(range(0, len(without), 8)), "labelAngle": 0}
    x = {"field": "key", "type": "ordinal", "title": "key", "axis": places}
    tooltip = [HOW, {"field": "key", "type": "ordinal"}, {"field": "weight", "type": "quantitative", "format": ".4f"}]
    bars = {
        "mark": {"type": "bar", "cornerRadiusEnd": 1},
        "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip},
    }
    names = _layer(
        [{"at": sign, "how": name} for name, sign in zip(NAMES, (1, -1), strict=True)],
        {"type": "text", "align": "right", "dy": {"expr": "datum.at > 0 ? 8 : -8"}, "fontSize": 12},
        {
            "x": {"value": "width"},
            "y": {"field": "at", "type": "quantitative"},
            "text": {"field": "how"},
            "color": color,
        },
    )
    return {"height": HEIGHT, **table(rows), "layer": [bars, names]}


def length_bars(without: Values, with_root: Values, *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: how many lengths lie in each half decade, upward without, downward with the root.

    Lengths below the lowest bin are counted in it. A line marks the mean of each side, a dashed one its median.
    """
    bins: list[Spec] = []
    marks: list[Spec] = []
    for name, sign, values in zip(NAMES, (1, -1), (without, with_root), strict=True):
        inside = np.clip(values, EDGES[0], EDGES[-1] * (1 - 1e-9))
        for low, high in pairwise(EDGES):
            count = int(((low <= inside) & (inside < high)).sum())
            bins.append({"low": low, "high": high, "count": count, "end": sign * count, "zero": 0, "how": name})
        for what, value in (("mean", float(np.mean(values))), ("median", float(np.median(values)))):
            at = min(max(value, EDGES[0]), EDGES[-1])
            marks.append({"at": at, "value": value, "what": what, "how": name, "end": sign, "zero": 0})
    most = max(1, *(one["count"] for one in bins))
    for mark in marks:
        mark["end"] *= most * 1.25
    x = _number("low", "length of the gradient at a query") | {
        "scale": {"type": "log", "domain": [EDGES[0], EDGES[-1]], "nice": False},
        "axis": {"values": [0.0001, 0.01, 1, 100], "format": "~g"},
    }
    y = _number("end", "queries") | {
        "scale": {"domain": [-most * 1.5, most * 1.5], "nice": False},
        "axis": {"tickCount": 5, "tickMinStep": 1, "labelExpr": "format(abs(datum.value), 'd')"},
    }
    counted = [HOW, _number("low", "from", ".2g"), _number("high", "to", ".2g"), _number("count", "queries")]
    of_all = [
        HOW,
        {"field": "what", "type": "nominal", "title": "of all queries"},
        {"field": "value", "type": "quantitative", "format": ".3f"},
    ]
    dash = {"domain": ["mean", "median"], "range": [[1, 0], [4, 3]]}
    bars = _layer(
        bins,
        {"type": "rect", "cornerRadius": 1},
        {"x": x, "x2": {"field": "high"}, "y": y, "y2": {"field": "zero"}, "color": _color(mode), "tooltip": counted},
    )
    lines = _layer(
        marks,
        {"type": "rule", "strokeWidth": 1.5, "color": categorical(mode)[7]},
        {
            "x": x | {"field": "at"},
            "y": y | {"field": "zero"},
            "y2": {"field": "end"},
            "strokeDash": {"field": "what", "scale": dash, "legend": None},
            "tooltip": of_all,
        },
    )
    return {"height": HEIGHT, "layer": [bars, lines]}


def _layer(rows: Sequence[Spec], mark: Spec, encoding: Spec) -> Spec:
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def _number(field: str, title: str, form: str = "") -> Spec:
    return {"field": field, "type": "quantitative", "title": title} | ({"format": form} if form else {})


def _color(mode: Mode) -> Spec:
    colors = categorical(mode)
    return {
        "field": "how",
        "sort": list(NAMES),
        "title": None,
        "scale": {"domain": list(NAMES), "range": [colors[1], colors[0]]},
        "legend": {"orient": "top", "title": None},
    }
