"""Perplexity or bits by order: what is infinite has no place on an axis, and stands at the top with its name."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from core.charts.curves import DASHES, SCHEMA, Spec, table
from core.charts.theme import Mode, categorical
from core.rooms.ngrams.formatting import large

INFINITE = "infinite"
_SHAPES = ("circle", "square", "triangle-up", "diamond")
_FEW = (1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70)


Values = Sequence[float] | NDArray[Any]  # of the orders 1, 2, ...


def by_order(curves: Mapping[str, Values], *, y_title: str, mode: Mode = "light", height: int = 320) -> Spec:
    """A Vega-Lite specification with a logarithmic upright axis; no line leads to a value that is infinite.

    Args:
        curves: the values of the orders 1, 2, ... by name, all above 0; some may be infinite.
        y_title: what the values are, with their unit.
    """
    names, n_order = list(curves), max(map(len, curves.values()))
    rows: list[dict[str, Any]] = [
        {
            "order": n,
            "value": float(value),
            "name": name,
            "infinite": math.isinf(float(value)),
            "shape": _SHAPES[i % len(_SHAPES)],
        }
        for i, (name, values) in enumerate(curves.items())
        for n, value in enumerate(values, 1)
    ]
    finite = [row["value"] for row in rows if not row["infinite"]]
    low, high = (min(finite) * 0.85, max(finite)) if finite else (1.0, 10.0)
    has_infinite = len(finite) < len(rows)
    top = high * (high / low) ** (0.28 if has_infinite else 0.06)  # room for the word above the highest value
    for row in rows:
        row["told"] = INFINITE if row["infinite"] else large(row["value"])
        if row["infinite"]:
            row["value"] = top
    ticks = [d * 10**power for power in range(-2, 7) for d in (1, 2, 5)] if high / low > 6 else _ticks()
    x: Spec = {
        "field": "order",
        "type": "quantitative",
        "title": "order: tokens in an n-gram",
        "scale": {"domain": [0.8, n_order + 0.2], "nice": False},
        "axis": {"values": list(range(1, n_order + 1)), "format": "d", "grid": False},
    }
    y: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": y_title,
        "scale": {"type": "log", "domain": [low, top], "nice": False},
        "axis": {"values": [tick for tick in ticks if low <= tick <= high * 1.02], "format": "~g"},
    }
    colors = categorical(mode)
    same = {"field": "name", "type": "nominal", "title": None}
    legend = {"orient": "top", "columns": 2, "labelLimit": 260, "symbolType": "stroke", "symbolSize": 420}
    color = {
        **same,
        "scale": {"domain": names, "range": [colors[i % len(colors)] for i in range(len(names))]},
        "legend": {**legend, "symbolStrokeWidth": 3},
    }
    dash = {**same, "scale": {"domain": names, "range": [list(DASHES[i % len(DASHES)]) for i in range(len(names))]}}
    shape = {"field": "shape", "type": "nominal", "scale": None}
    tooltip = [
        {"field": "name", "title": "curve"},
        {"field": "order", "type": "quantitative", "format": "d"},
        {"field": "told", "type": "nominal", "title": y_title},
    ]
    places = {"x": x, "y": y, "color": color}
    is_finite, is_infinite = [{"filter": "!datum.infinite"}], [{"filter": "datum.infinite"}]
    point = {"type": "point", "filled": True, "opacity": 1}
    layers: list[Spec] = [
        {
            "transform": is_finite,
            "mark": {"type": "line", "strokeWidth": 2.4},
            "encoding": {**places, "strokeDash": dash},
        },
        {"transform": is_finite, "mark": {**point, "size": 60}, "encoding": {**places, "shape": shape}},
        *(_at_the_top(is_infinite, places, mode) if has_infinite else []),
        # Nothing to see: a wider place for the pointer to find each point.
        {"mark": {"type": "point", "size": 160, "opacity": 0}, "encoding": {**places, "tooltip": tooltip}},
    ]
    return {"$schema": SCHEMA, **table(rows), "height": height, "layer": layers}


def _ticks() -> list[float]:
    return [d * 10**power for power in range(-2, 6) for d in _FEW if d < 10]


def _at_the_top(only: list[Spec], places: Spec, mode: Mode) -> list[Spec]:
    """Crosses on the upper edge, and the word."""
    word = {"type": "text", "text": INFINITE, "dy": 15, "fontSize": 12, "color": categorical(mode)[7]}
    return [
        {
            "transform": only,
            "mark": {"type": "point", "filled": True, "opacity": 1, "shape": "cross", "angle": 45, "size": 130},
            "encoding": places,
        },
        {
            "transform": [*only, {"aggregate": [{"op": "max", "field": "value", "as": "value"}], "groupby": ["order"]}],
            "mark": word,
            "encoding": {"x": places["x"], "y": places["y"]},
        },
    ]


def told_share(value: float) -> str:
    """A share as percent: 10.9%, and below 0.1% that it is below."""
    return "<0.1%" if 0 < value < 0.001 else f"{value:.1%}"


def shares(values: Values, *, y_title: str, mode: Mode = "light", height: int = 320) -> Spec:
    """A bar for each order, each with its share printed on it.

    Args:
        values: shares of the orders 1, 2, ..., within 0..1; nan is left out.
    """
    rows: list[dict[str, Any]] = [
        {"order": n, "share": float(value), "told": told_share(float(value))}
        for n, value in enumerate(values, 1)
        if not math.isnan(float(value))
    ]
    x = {"field": "order", "type": "ordinal", "title": "order: tokens in an n-gram", "axis": {"labelAngle": 0}}
    highest = max([row["share"] for row in rows], default=0.0)
    top = min(1.12, highest * 1.15 + 0.02)
    y = {
        "field": "share",
        "type": "quantitative",
        "title": y_title,
        "scale": {"domain": [0, top], "nice": False},
        "axis": {"format": ".0%" if top > 0.05 else ".1%", "tickCount": 5},
    }
    ink = categorical(mode)[7]
    text = {"type": "text", "dy": -9, "fontSize": 12, "color": ink}
    return {
        "$schema": SCHEMA,
        **table(rows),
        "height": height,
        "layer": [
            {
                "mark": {"type": "bar", "color": categorical(mode)[2], "width": {"band": 0.6}},
                "encoding": {"x": x, "y": y, "tooltip": [{"field": "order"}, {"field": "told", "title": "never seen"}]},
            },
            {"mark": text, "encoding": {"x": x, "y": y, "text": {"field": "told"}}},
        ],
    }
