"""Curves over many powers of ten. What is exactly 0, or beyond all numbers, has no place on such an axis and is marked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from core.charts.curves import SCHEMA, Spec
from core.charts.theme import Mode, categorical

ZERO, BEYOND = "exactly 0", "beyond float32"
_DASHES = ([1, 0], [6, 4], [2, 3])
_SHAPES = ("circle", "square", "triangle-up", "diamond")


@dataclass(frozen=True)
class DecadeCurve:
    """One curve.

    Args:
        name: has a color and a shape.
        group: has a dash; several curves may share a name or a group.
        x: rising.
        y: at least 0; infinite and not-a-number are marked too.
    """

    name: str
    group: str
    x: Sequence[float] | NDArray[Any]
    y: Sequence[float] | NDArray[Any]


def decades(
    curves: Sequence[DecadeCurve],
    *,
    x_title: str,
    y_title: str,
    title: str,
    x_log: bool = False,
    x_limits: tuple[float, float] | None = None,
    lowest: float | None = None,
    mode: Mode = "light",
    height: int = 300,
) -> Spec:
    """A Vega-Lite specification with a logarithmic upright axis.

    A value of 0 is drawn as a cross on the lower edge, one beyond float32 as a cross on the upper edge; both say so
    where one points, and no line leads to them.

    Args:
        x_log: whether the flat axis doubles from tick to tick.
        x_limits: the ends of the flat axis; None: from the lowest to the highest x.
        lowest: where the upright axis begins at the latest; None: below the lowest value.

    Raises:
        ValueError: if a curve's x and y differ in length.
    """
    rows: list[dict[str, Any]] = []
    for curve in curves:
        if len(curve.x) != len(curve.y):
            raise ValueError(f"{curve.name!r} has {len(curve.x)} places and {len(curve.y)} values")
        for x, y in zip(curve.x, curve.y, strict=True):
            value = float(y)
            kind = BEYOND if not math.isfinite(value) else ZERO if value == 0 else "value"
            told = f"{value:.2g}" if kind == "value" else kind
            rows.append({"x": float(x), "y": value, "told": told, "kind": kind, "name": curve.name, "path": curve.group})
    drawn = [row["y"] for row in rows if row["kind"] == "value"] or [1.0]
    low, high = _power(min([*drawn, *([lowest] if lowest else [])]), math.floor), _power(max(drawn), math.ceil)
    for row in rows:
        if row["kind"] != "value":
            row["y"] = high if row["kind"] == BEYOND else low
    first, last = x_limits or (min(row["x"] for row in rows), max(row["x"] for row in rows))
    names = list(dict.fromkeys(curve.name for curve in curves))
    groups = list(dict.fromkeys(curve.group for curve in curves))
    x_axis: Spec = {"field": "x", "type": "quantitative", "title": x_title}
    if x_log:
        ticks = [2**i for i in range(12) if first <= 2**i <= last]
        x_axis |= {"scale": {"type": "log", "base": 2, "domain": [first, last], "nice": False}}
        x_axis |= {"axis": {"values": ticks, "format": "d"}}
    else:
        x_axis |= {"scale": {"domain": [first, last], "nice": False}, "axis": {"tickCount": 6, "format": ",d"}}
    y_axis = {
        "field": "y",
        "type": "quantitative",
        "title": y_title,
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": _ticks(low, high), "format": ".0e"},
    }
    legend = {"orient": "top", "columns": 3, "labelLimit": 300, "title": None}
    colors = categorical(mode)
    color = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": names, "range": [colors[i % len(colors)] for i in range(len(names))]},
        "legend": {**legend, "columns": 3 if max(map(len, names)) <= 12 else 2},
    }
    shape = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": names, "range": [_SHAPES[i % len(_SHAPES)] for i in range(len(names))]},
    }
    dash = {
        "field": "path",
        "type": "nominal",
        "scale": {"domain": groups, "range": [_DASHES[i % len(_DASHES)] for i in range(len(groups))]},
        "legend": {**legend, "columns": 2, "symbolType": "stroke", "symbolSize": 420, "symbolStrokeWidth": 2},
    }
    tooltip = [
        {"field": "name", "title": "norm" if len(groups) > 1 else "curve"},
        {"field": "path", "title": "residual"},
        {"field": "x", "type": "quantitative", "title": x_title, "format": ",d"},
        {"field": "told", "type": "nominal", "title": y_title},
    ]
    places = {"x": x_axis, "y": y_axis, "color": color}
    on_axis = [{"filter": "datum.kind === 'value'"}]
    off_axis = [{"filter": "datum.kind !== 'value'"}]
    layers: list[Spec] = [
        {
            "transform": on_axis,
            "mark": {"type": "line", "strokeWidth": 2.2},
            "encoding": {**places, "strokeDash": dash},
        },
        {
            "transform": on_axis,
            "mark": {"type": "point", "filled": True, "size": 34, "opacity": 1},
            "encoding": {**places, "shape": shape},
        },
        {
            "transform": off_axis,
            "mark": {"type": "point", "shape": "cross", "angle": 45, "filled": True, "size": 120, "opacity": 1},
            "encoding": places,
        },
        *(
            {
                "transform": [{"filter": f"datum.kind === '{kind}'"}, {"aggregate": [{"op": "min", "field": "x", "as": "x"}]}],
                "mark": {"type": "text", "align": "right", "dx": -9, "dy": dy, "fontSize": 12, "color": colors[7]},
                "encoding": {"x": x_axis, "y": {"datum": edge, "type": "quantitative"}, "text": {"value": kind}},
            }
            for kind, edge, dy in ((ZERO, low, -8), (BEYOND, high, 8))
        ),
        {
            "mark": {"type": "point", "size": 120, "opacity": 0},
            "encoding": {**places, "tooltip": tooltip},
        },
    ]
    return {
        "$schema": SCHEMA,
        "title": {"text": title, "anchor": "start", "fontSize": 14},
        "data": {"values": rows},
        "height": height,
        "layer": layers,
    }


def _power(value: float, rounded: Any) -> float:
    """The power of ten below or above."""
    return float(10.0 ** rounded(math.log10(value)))


def _ticks(low: float, high: float) -> list[float]:
    """At most about seven powers of ten, 1 among them."""
    first, last = round(math.log10(low)), round(math.log10(high))
    stride = max(1, math.ceil((last - first) / 7))
    return [float(f"1e{power}") for power in range(first, last + 1) if power % stride == 0]
