"""Losses over sizes on logarithmic axes: what was measured, two laws through it, and what they say of the next size."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.charts.curves import SCHEMA, Spec
from core.charts.theme import Mode, accent, categorical
from core.rooms.sizes.compute.power_law import Law

HEIGHT = 360
Dot = tuple[float, float, str]  # size, loss, name


def power_law(
    dots: Sequence[Dot],
    laws: Mapping[str, Law],
    next_size: float,
    landed: Dot | None,
    *,
    y_limits: tuple[float, float] | None = None,
    y_title: str,
    dots_title: str,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification.

    Args:
        dots: what has been measured.
        laws: up to three by name; each has a color and a dash of its own.
        next_size: what they predict the loss of.
        landed: the next model, once it is measured and may be seen.
        y_limits: fixed ends of the upright axis, so that a running picture does not jump; None: what there is to see.
        y_title: what the losses are, with their unit; dots_title: what the names of the dots are.
    """
    colors, names = categorical(mode), list(laws)
    predicted = {name: law.predict(next_size) for name, law in laws.items()}
    limits = dots[0][0] / 1.3, next_size * 1.5
    every = [*dots, *filter(None, [landed])]
    measured = [{"size": size, "loss": loss, "name": name} for size, loss, name in every]
    seen = [loss for _, loss, _ in every] + [end for one in predicted.values() for end in (one.low, one.high)]
    low, high = y_limits or (min(seen) * 0.97, max(seen) * 1.03)
    x = {
        "field": "size",
        "type": "quantitative",
        "title": ["parameters", f"({dots_title})"],
        "scale": {"type": "log", "domain": limits, "nice": False},
        "axis": {"format": "~s", "values": [m * 10**k for k in range(2, 9) for m in (1, 2, 5)], "grid": False},
    }
    y = {
        "field": "loss",
        "type": "quantitative",
        "title": y_title,
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"format": ".2~f", "tickCount": 6},
    }
    law = {"field": "law", "type": "nominal", "title": None}
    stroke = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 420}
    legend = {"orient": "top", "columns": 1, "labelLimit": 400, **stroke}
    color = {**law, "scale": {"domain": names, "range": colors[1 : len(names) + 1]}, "legend": legend}
    dash = {**law, "scale": {"domain": names, "range": [[7, 4], [1, 0], [2, 3]][: len(names)]}}
    curves = [
        {"size": float(size), "loss": found.loss(float(size)), "law": name}
        for name, found in laws.items()
        for size in np.geomspace(*limits, 50)
    ]
    # Two intervals at one size would cover each other, so each stands a little aside.
    next_ones = [
        {
            "size": next_size * (0.97 + 0.06 * i),
            "loss": one.value,
            "low": one.low,
            "high": one.high,
            "law": name,
            "what": f"{name}: {one.value:.3f}, between {one.low:.3f} and {one.high:.3f}",
        }
        for i, (name, one) in enumerate(predicted.items())
    ]
    said = [{"field": "what", "title": "predicted"}]
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    tooltip = [
        {"field": "name", "title": "model"},
        {"field": "size", "type": "quantitative", "format": ",d", "title": "parameters"},
        {"field": "loss", "type": "quantitative", "format": ".3f", "title": y_title},
    ]

    def layer(values: Sequence[Any], mark: Spec, **encoding: Any) -> Spec:
        return {"data": {"values": values}, "mark": mark, "encoding": {"x": x, "y": y, **encoding}}

    def point(size: int, **how: Any) -> Spec:
        return {"type": "point", "filled": True, "size": size, "opacity": 1, **how}

    first, last = measured[: len(dots)], measured[len(dots) :]
    layers = [
        layer(curves, {"type": "line", "strokeWidth": 2.2, "clip": True}, color=color, strokeDash=dash),
        layer(next_ones, {"type": "rule", "strokeWidth": 5, "opacity": 0.55}, color=color, tooltip=said, **ends),
        layer(next_ones, point(90, shape="square"), color=color, tooltip=said),
        layer(first, point(90, color=colors[0]), tooltip=tooltip),
        layer(first, {"type": "text", "dy": -13, "fontSize": 11, "color": colors[7]}, text={"field": "name"}),
    ]
    if last:  # an empty layer would be a picture without words for a screen reader
        layers.append(layer(last, point(260, shape="diamond", color=accent(mode)), tooltip=tooltip))
    return {"$schema": SCHEMA, "height": HEIGHT, "layer": layers}
