"""An estimate of a gradient against the exact one, and how far off it is by the number of draws."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from core.charts.curves import DASHES, SCHEMA, Spec, by_name, table
from core.charts.places import by_place, placed
from core.charts.theme import Mode, categorical

Values = Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class Guessed:
    """An estimate with its error for each place.

    Args:
        mean, error: as many as there are places; the bar runs one standard error to each side.
    """

    mean: Values
    error: Values


def estimated(places: Sequence[str], exact: Mapping[str, Values], guess: Guessed, *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: places from left to right; exact gradients as shapes, the estimate with a bar.

    Args:
        places: labels; doubles are fine.
        exact: name -> gradient at each place; at most four.
        guess: the estimate, drawn beside them.

    Raises:
        ValueError: if the lengths differ.
    """
    if any(len(values) != len(places) for values in (*exact.values(), guess.mean, guess.error)):
        raise ValueError(f"{len(places)} places do not match the gradients")
    name = "estimate"
    names, colors = [*exact, name], categorical(mode)
    labels = placed(places)
    rows: list[dict[str, Any]] = [
        {"place": label, "value": float(value), "name": one}
        for one, values in exact.items()
        for label, value in zip(labels, values, strict=True)
    ]
    for label, mean, error in zip(labels, guess.mean, guess.error, strict=True):
        rows.append(
            {
                "place": label,
                "value": float(mean),
                "name": name,
                "low": float(mean) - float(error),
                "high": float(mean) + float(error),
            }
        )
    x = by_place("card", labelAngle=0)
    y = {"type": "quantitative", "title": "gradient for the score", "axis": {"tickCount": 5}}
    picked = [colors[i % len(colors)] for i in range(len(names))]
    color = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": picked},
        "legend": {"orient": "top", "columns": 2, "labelLimit": 200},
    }
    shapes = [*("square", "diamond", "triangle-up", "cross")[: len(exact)], "circle"]
    shape = {"field": "name", "type": "nominal", "title": None, "scale": {"domain": names, "range": shapes}}
    places_of = {"x": x, "xOffset": {"field": "name", "sort": names, "scale": {"domain": names}}, "color": color}
    tooltip = [
        {"field": "name", "title": "gradient"},
        {"field": "value", "type": "quantitative", "format": ".4f", "title": "nats"},
    ]
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
                "transform": [{"filter": f"datum.name === '{name}'"}],
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {**places_of, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "strokeWidth": 3},
                "encoding": {**places_of, "shape": shape, "y": {**y, "field": "value"}, "tooltip": tooltip},
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

    Raises:
        ValueError: if the lengths or names differ.
    """
    if set(measured) != set(expected) or any(
        len(values) != len(n_draws) for values in (*measured.values(), *expected.values())
    ):
        raise ValueError(f"{len(n_draws)} numbers of draws do not match the errors of {list(measured)}")
    names, colors = list(measured), categorical(mode)

    def rows(of: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
        return [
            {"n": n, "value": float(value), "name": name}
            for name, values in of.items()
            for n, value in zip(n_draws, values, strict=True)
            if value > 0
        ]

    values = [row["value"] for row in rows(measured) + rows(expected)] + ([length] if length > 0 else [])
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    x = {
        "field": "n",
        "type": "quantitative",
        "title": "draws",
        "scale": {"type": "log", "domain": [min(n_draws), max(n_draws)], "nice": False},
        "axis": {"values": list(n_draws)[::2], "format": ",d"},
    }
    y = {
        "field": "value",
        "type": "quantitative",
        "title": "usual error",
        "scale": {"type": "log", "domain": [low / 1.5, high * 1.5], "nice": False},
        "axis": {
            "values": [10.0**k for k in range(math.floor(math.log10(low / 1.5)), math.ceil(math.log10(high)) + 1)],
            "format": ".1~g",
        },
    }
    color = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [colors[i % len(colors)] for i in range(len(names))]},
        "legend": {"orient": "top", "labelLimit": 240, "symbolStrokeWidth": 0},
    }
    shape = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": ["circle", "square", "triangle-up"][: len(names)]},
    }
    dash = by_name("name", {name: list(DASHES[i]) for i, name in enumerate(names)})
    tooltip = [
        {"field": "name", "title": "estimate"},
        {"field": "n", "type": "quantitative", "format": ",d", "title": "draws"},
        {"field": "value", "type": "quantitative", "format": ".4f", "title": "measured error, nats"},
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
                "data": {"values": rows(expected)},
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {"x": x, "y": y, "color": color, "strokeDash": dash},
            },
            {
                "data": {"values": rows(measured)},
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": color, "shape": shape, "tooltip": tooltip},
            },
        ],
    }
