"""Curves of training runs as Vega-Lite specifications: plain dicts, cheap enough to be made twice a second.

The axis of steps has its full length from the beginning, so that a running curve grows into it and the picture does not
jump. Color is never the only sign: training is a bare line, validation is dashed with dots, reference lines are named.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.charts.theme import Mode, categorical

MAX_POINTS = 300  # more than a chart of 700 pixels can show, few enough to send twice a second
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name that programs compare; nothing fetches it
DASHES = ((1, 0), (7, 4), (2, 3), (9, 3, 2, 3), (4, 2), (1, 3), (12, 4), (6, 2, 2, 2))

Spec = dict[str, Any]
Point = Mapping[str, Any]


@dataclass(frozen=True)
class Reference:
    """A loss to compare with, drawn as a dashed line across the chart.

    Args:
        value: nats per token.
        label: what reaches it, as "guessing blindly".
    """

    value: float
    label: str


@dataclass(frozen=True)
class Curve:
    """One run among others.

    Args:
        label: its name; must differ from the others'.
        x: steps or seconds, rising.
        y: validation losses, nats per token.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]


def table(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """The rows of a whole chart, for the top of its specification.

    They get a name because Streamlit gives named rows to Vega before the first drawing. Plain `values` come after it,
    when scales have been made from nothing, of which Vega warns ("Infinite extent").
    """
    return {"datasets": {"rows": list(rows)}, "data": {"name": "rows"}}


def whole_ticks(numbers: Iterable[Any]) -> Spec:
    """What keeps the ticks of an axis from standing between two whole numbers; nothing where the numbers are others."""
    return {"tickMinStep": 1} if all(float(one).is_integer() for one in numbers if math.isfinite(one)) else {}


def row_height(n_row: int, pixels: int, n_offset: int = 1) -> Spec:
    """The height of a chart with one row for each name, for the top of its specification.

    It is a number, and not left to Vega ("step"): Streamlit asks Vega to fit the picture, of which Vega warns then.

    Args:
        n_row: how many names.
        pixels: of each row, or of each of the bars that share a row.
        n_offset: how many bars share a row.
    """
    height = pixels * n_row if n_offset == 1 else round(pixels * n_offset * (n_row + 0.2) * 1.25)  # with Vega's gaps
    return {"height": max(pixels, height), "autosize": {"type": "fit-x", "contains": "padding"}}


def by_name(field: str, values: Mapping[str, Any]) -> Spec:
    """A look for each name of a field, beside a color that tells them apart, too.

    There is no scale, so no legend: one that is hidden, or another than that of the color, makes Vega warn.
    """
    tests = [
        {"test": f"datum[{json.dumps(field)}] === {json.dumps(name)}", "value": look} for name, look in values.items()
    ]
    return {"condition": tests, "value": next(iter(values.values()))}


def thin(points: Sequence[Point], limit: int = MAX_POINTS) -> list[Point]:
    """At most `limit` of the points: every n-th, the first, the last, and first of all those with a validation loss.

    Nothing is averaged, so every point shown is one that was computed.
    """
    if len(points) <= limit:
        return list(points)
    measured = [i for i, point in enumerate(points) if point.get("val_loss") is not None]
    measured = measured[:: math.ceil(len(measured) / (limit // 2))] if measured else []
    keep = {0, len(points) - 1, *measured}
    stride = math.ceil(len(points) / max(1, limit - len(keep)))
    return [points[i] for i in sorted(keep | set(range(0, len(points), stride)))]


def loss_curves(
    points: Sequence[Point],
    references: Sequence[Reference] = (),
    *,
    n_step: int,
    y_title: str = "loss (nats per token)",
    mode: Mode = "light",
    log_steps: bool = False,
    height: int = 340,
) -> Spec:
    """Training and validation loss by step, with lines for what other predictors reach.

    Args:
        points: in order of steps, each with `step`, `loss` and `val_loss` (or None), nats per token.
        references: losses to compare with.
        n_step: of the whole run: the length of the axis.
        y_title: what the losses are, with their unit.
        mode: colors for a light or a dark page.
        log_steps: whether each doubling of the steps takes the same room, which opens up the beginning.
        height: of the picture, in css pixels.
    """
    rows = [{"step": p["step"], "loss": p["loss"], "series": "training"} for p in points if _finite(p["loss"])]
    rows += [
        {"step": p["step"], "loss": p["val_loss"], "series": "validation"} for p in points if _finite(p["val_loss"])
    ]
    lines = [one for one in references if _finite(one.value)]
    top = max([row["loss"] for row in rows] + [one.value for one in lines] + [1.0]) * 1.12
    colors = categorical(mode)
    x = _steps(n_step, log_steps)
    y = {
        "field": "loss",
        "type": "quantitative",
        "title": y_title,
        "scale": {"domain": [0, round(top, 3)], "nice": False},
        "axis": {"tickCount": 6},
    }
    legend = {"orient": "top", "symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 400}
    which = {"field": "series", "type": "nominal", "title": None, "legend": legend}
    names = ["training", "validation"]
    series = {**which, "scale": {"domain": names, "range": colors[:2]}}
    dashes = {**which, "scale": {"domain": names, "range": [list(one) for one in DASHES[:2]]}}
    tooltip = [
        {"field": "series", "title": "loss on the text of"},
        {"field": "step", "type": "quantitative", "format": ",d"},
        {"field": "loss", "type": "quantitative", "format": ".3f"},
    ]
    curve = {"x": x, "y": y, "color": series}
    # A line needs two points, so the very first ones are drawn as dots.
    with_dots = "datum.series === 'validation'" if len(points) > 2 else "true"
    layers: list[Spec] = [
        *_reference_layers(lines, mode),
        {"mark": {"type": "line", "strokeWidth": 2, "clip": True}, "encoding": {**curve, "strokeDash": dashes}},
        {
            "transform": [{"filter": with_dots}],
            "mark": {"type": "point", "filled": True, "size": 36, "opacity": 1, "clip": True},
            "encoding": curve,
        },
        # Nothing to see: a wider place for the pointer to find each point.
        {"mark": {"type": "point", "size": 120, "opacity": 0, "clip": True}, "encoding": {**curve, "tooltip": tooltip}},
    ]
    return _chart(rows, layers, height)


def gradient_norms(points: Sequence[Point], *, n_step: int, mode: Mode = "light", height: int = 170) -> Spec:
    """How strongly each step pulls at the weights: the length of the whole gradient, on a logarithmic scale.

    Args:
        points: in order of steps, each with `step` and `grad_norm`.
        n_step: of the whole run.
    """
    rows = [
        {"step": p["step"], "norm": p["grad_norm"]} for p in points if _finite(p["grad_norm"]) and p["grad_norm"] > 0
    ]
    encoding = {
        "x": {**_steps(n_step, False), "title": None},
        "y": {
            "field": "norm",
            "type": "quantitative",
            "title": "gradient norm",
            "scale": {"type": "log"} | ({} if rows else {"domain": [0.1, 10]}),  # of nothing there is no logarithm
            "axis": {"tickCount": 3, "format": "~g"},
        },
    }
    tooltip = [
        {"field": "step", "type": "quantitative", "format": ",d"},
        {"field": "norm", "type": "quantitative", "format": ".3g"},
    ]
    color = categorical(mode)[2]
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 1.5, "color": color, "clip": True}, "encoding": encoding},
        {"mark": {"type": "point", "size": 120, "opacity": 0}, "encoding": {**encoding, "tooltip": tooltip}},
    ]
    return _chart(rows, layers, height)


def compare(
    curves: Sequence[Curve],
    *,
    x_title: str,
    y_title: str = "validation loss (nats per token)",
    mode: Mode = "light",
    height: int = 320,
) -> Spec:
    """The validation losses of several runs on one chart; each has a color and a dash of its own.

    Args:
        curves: with labels that differ.
        x_title, y_title: what the curves' x and y are, with their units.

    Raises:
        ValueError: if two curves have one label, or a curve's x and y differ in length.
    """
    labels = [curve.label for curve in curves]
    if len(set(labels)) != len(labels):
        raise ValueError(f"the labels of the curves must differ, not {labels}")
    for curve in curves:
        if len(curve.x) != len(curve.y):
            raise ValueError(f"{curve.label!r} has {len(curve.x)} places and {len(curve.y)} losses")
    rows = [
        {"x": x, "loss": y, "run": curve.label}
        for curve in curves
        for x, y in zip(curve.x, curve.y, strict=True)
        if _finite(x) and _finite(y)
    ]
    colors = categorical(mode)
    n = len(labels)
    encoding = {
        "x": {"field": "x", "type": "quantitative", "title": x_title, "axis": {"tickCount": 6, "format": "~s"}},
        "y": {
            "field": "loss",
            "type": "quantitative",
            "title": y_title,
            "scale": {"zero": False},
            "axis": {"tickCount": 6},
        },
        "color": {
            "field": "run",
            "type": "nominal",
            "title": None,
            "scale": {"domain": labels, "range": [colors[i % len(colors)] for i in range(n)]},
            "legend": {
                "orient": "top",
                "columns": 1,
                "labelLimit": 560,
                "symbolType": "stroke",
                "symbolStrokeWidth": 4,
            },
        },
        "strokeDash": {
            "field": "run",
            "type": "nominal",
            "title": None,
            "scale": {"domain": labels, "range": [list(DASHES[i % len(DASHES)]) for i in range(n)]},
        },
    }
    places = {name: encoding[name] for name in ("x", "y", "color")}
    tooltip = [
        {"field": "run"},
        {"field": "x", "type": "quantitative", "title": x_title, "format": ",.4~r"},
        {"field": "loss", "type": "quantitative", "format": ".3f"},
    ]
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": encoding},
        {
            "mark": {"type": "point", "filled": True, "size": 36, "opacity": 1},
            "encoding": {**places, "tooltip": tooltip},
        },
    ]
    return _chart(rows, layers, height)


def parts_bar(parts: Mapping[str, int], *, mode: Mode = "light", height: int = 76) -> Spec:
    """One bar cut into parts, for what a whole consists of; the names stand above in the order of the parts.

    Args:
        parts: name -> count, in the order of drawing.
    """
    total = max(1, sum(parts.values()))
    rows = [
        {"part": f"{name} {count / total:.0%}", "count": count, "share": count / total, "order": i}
        for i, (name, count) in enumerate(parts.items())
    ]
    encoding = {
        "x": {"field": "count", "type": "quantitative", "stack": "zero", "axis": None, "scale": {"domain": [0, total]}},
        "order": {"field": "order", "type": "quantitative"},
        "color": {
            "field": "part",
            "type": "nominal",
            "title": None,
            "scale": {"domain": [row["part"] for row in rows], "range": categorical(mode)[: len(parts)]},
            "legend": {"orient": "top", "symbolType": "square"},
        },
        "tooltip": [
            {"field": "part"},
            {"field": "count", "type": "quantitative", "format": ",d"},
            {"field": "share", "type": "quantitative", "format": ".0%"},
        ],
    }
    return _chart(rows, [{"mark": {"type": "bar", "height": 18}, "encoding": encoding}], height)


def _chart(rows: list[dict[str, Any]], layers: list[Spec], height: int) -> Spec:
    return {"$schema": SCHEMA, **table(rows), "height": height, "layer": layers}


def _steps(n_step: int, log: bool) -> Spec:
    scale: Spec = {"domain": [0, max(1, n_step)], "nice": False}
    axis: Spec = {"tickCount": 6, "tickMinStep": 1, "format": ",d"}
    if log:
        scale = {"type": "log", "domain": [1, max(2, n_step)], "nice": False}
        powers = [10**k for k in range(6) if 10**k <= max(2, n_step)]
        axis = {"values": powers, "format": ",d", "grid": False}
    return {"field": "step", "type": "quantitative", "title": "step", "scale": scale, "axis": axis}


def _reference_layers(lines: Sequence[Reference], mode: Mode) -> list[Spec]:
    """A dashed rule for each reference, and its name above the rule's right end."""
    if not lines:
        return []
    values = [{"loss": one.value, "label": one.label} for one in lines]
    ink = categorical(mode)[7]
    y = {"field": "loss", "type": "quantitative"}
    name = {"type": "text", "align": "right", "dx": -4, "dy": -9, "fontSize": 12, "color": ink}
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": ink, "opacity": 0.8},
            "encoding": {"y": y},
        },
        {
            "data": {"values": values},
            "mark": name,
            "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "label"}},
        },
    ]


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
