"""An estimate of a gradient against the exact one, and how far off it is by the number of draws."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from core.charts.curves import DASHES, SCHEMA, Spec, by_name, table
from core.charts.places import by_place, placed
from core.charts.theme import Mode, categorical
from core.rooms.hard_attention.compute.score_gradients import Estimate

Values = Sequence[float] | NDArray[Any]


def estimated(places: Sequence[str], exact: Mapping[str, Values], guess: Estimate, *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: places from left to right; exact gradients as shapes, the estimate with a bar.

    Args:
        places: labels; doubles are fine.
        exact: name -> gradient at each place; at most four.
        guess: the estimate, drawn beside them with a bar of one standard error to each side.
    """
    names, colors, labels = [*exact, "estimate"], categorical(mode), placed(places)
    rows: list[dict[str, Any]] = [
        {"place": label, "value": float(value), "name": name}
        for name, values in exact.items()
        for label, value in zip(labels, values, strict=True)
    ]
    for label, mean, error in zip(labels, map(float, guess.mean), map(float, guess.error), strict=True):
        rows.append({"place": label, "value": mean, "name": "estimate", "low": mean - error, "high": mean + error})
    y = {"type": "quantitative", "title": "gradient for the score", "axis": {"tickCount": 5}}
    at = {
        "x": by_place("card", labelAngle=0),
        "xOffset": {"field": "name", "sort": names, "scale": {"domain": names}},
        "color": _by_color(names, colors, columns=2, labelLimit=200),
    }
    shapes = [*("square", "diamond", "triangle-up", "cross")[: len(exact)], "circle"]
    tooltip = [{"field": "name", "title": "gradient"}, _number("value", "nats", ".4f")]
    return {
        "$schema": SCHEMA,
        **table(rows),
        "height": 320,
        "layer": [
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "color": colors[7], "opacity": 0.5},
                "encoding": {"y": {"field": "zero", "type": "quantitative"}},
            },
            {
                "transform": [{"filter": "datum.name === 'estimate'"}],
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {**at, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "strokeWidth": 3},
                "encoding": {**at, "shape": _by_shape(names, shapes), "y": {**y, "field": "value"}, "tooltip": tooltip},
            },
        ],
    }


def errors_by_draws(
    n_draws: Sequence[int],
    measured: Mapping[str, Sequence[float]],
    expected: Mapping[str, Sequence[float]],
    length: float,
    *,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification, both axes by factors: how far an estimate is off. Dots measured, lines by formula.

    Args:
        n_draws: rising.
        measured, expected: name -> error for each number of draws; the same names.
        length: of the exact gradient, drawn as a rule: above it the estimate is more noise than gradient.
    """
    names, colors = list(measured), categorical(mode)
    dots, lines = _rows(n_draws, measured), _rows(n_draws, expected)
    values = [row["value"] for row in dots + lines] + [length] * (length > 0) or [0.1, 1.0]
    low, high = min(values) / 1.5, max(values) * 1.5
    powers = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(max(values))) + 1)]
    x = {
        **_number("n", "draws"),
        "scale": {"type": "log", "domain": [min(n_draws), max(n_draws)], "nice": False},
        "axis": {"values": list(n_draws)[::2], "format": ",d"},
    }
    y = {
        **_number("value", "usual error"),
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": powers, "format": ".1~g"},
    }
    color = _by_color(names, colors, labelLimit=240, symbolStrokeWidth=0)
    dash = by_name("name", {name: list(DASHES[i]) for i, name in enumerate(names)})
    tooltip = [
        {"field": "name", "title": "estimate"},
        _number("n", "draws", ",d"),
        _number("value", "measured error, nats", ".4f"),
    ]
    rule = {"values": [{"value": length, "label": "length of the gradient"}] if length > 0 else []}
    on_rule = {"y": {"field": "value", "type": "quantitative"}}
    return {
        "$schema": SCHEMA,
        "height": 320,
        "layer": [
            {"data": rule, "mark": {"type": "rule", "strokeDash": [5, 4], "color": colors[7]}, "encoding": on_rule},
            {
                "data": rule,
                "mark": {"type": "text", "align": "right", "dx": -4, "dy": -8, "fontSize": 12, "color": colors[7]},
                "encoding": {**on_rule, "x": {"value": "width"}, "text": {"field": "label"}},
            },
            {
                "data": {"values": lines},
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {"x": x, "y": y, "color": color, "strokeDash": dash},
            },
            {
                "data": {"values": dots},
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": color,
                    "shape": _by_shape(names, ["circle", "square", "triangle-up"]),
                    "tooltip": tooltip,
                },
            },
        ],
    }


def _rows(n_draws: Sequence[int], errors: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Points on an axis by factors, so without those at 0."""
    return [
        {"n": n, "value": float(value), "name": name}
        for name, values in errors.items()
        for n, value in zip(n_draws, values, strict=True)
        if value > 0
    ]


def _number(field: str, title: str, form: str = "") -> Spec:
    return {"field": field, "type": "quantitative", "title": title} | ({"format": form} if form else {})


def _by_color(names: Sequence[str], colors: Sequence[str], **legend: Any) -> Spec:
    scale = {"domain": names, "range": [colors[i % len(colors)] for i in range(len(names))]}
    return {"field": "name", "type": "nominal", "title": None, "scale": scale, "legend": {"orient": "top", **legend}}


def _by_shape(names: Sequence[str], shapes: Sequence[str]) -> Spec:
    scale = {"domain": names, "range": shapes[: len(names)]}
    return {"field": "name", "type": "nominal", "title": None, "scale": scale}
