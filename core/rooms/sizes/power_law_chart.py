"""Losses over sizes on logarithmic axes: what was measured, two laws through it, and what they say of the next size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.charts.curves import SCHEMA, Spec
from core.charts.theme import Mode, accent, categorical

HEIGHT = 360


@dataclass(frozen=True)
class DrawnLaw:
    """A curve and its prediction.

    Args:
        name: in the legend.
        points: (size, loss) of the curve, rising.
        at, value, low, high: the next size, what the law says of it, and the ends of its interval.
    """

    name: str
    points: Sequence[tuple[float, float]]
    at: float
    value: float
    low: float
    high: float


def power_law(
    points: Sequence[tuple[float, float, str]],
    laws: Sequence[DrawnLaw],
    landed: tuple[float, float, str] | None,
    *,
    limits: tuple[float, float],
    y_limits: tuple[float, float] | None = None,
    y_title: str,
    dots_title: str,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification.

    Args:
        points: (size, loss, name) of what has been measured.
        laws: up to three curves; each has a color and a dash of its own.
        landed: (size, loss, name) of the next model, once it is measured and may be seen.
        limits: the ends of the flat axis.
        y_limits: fixed ends of the upright one, so that a running picture does not jump; None: what there is to see.
        y_title: what the losses are, with their unit; dots_title: what the names of the dots are.
    """
    colors = categorical(mode)
    names = [law.name for law in laws]
    x = {
        "field": "size",
        "type": "quantitative",
        "title": ["parameters", f"({dots_title})"],
        "scale": {"type": "log", "domain": list(limits), "nice": False},
        "axis": {"format": "~s", "values": [m * 10**k for k in range(2, 9) for m in (1, 2, 5)], "grid": False},
    }
    seen = [loss for _, loss, _ in points] + [one for law in laws for one in (law.low, law.high)]
    seen += [] if landed is None else [landed[1]]
    low, high = (min(seen) * 0.97, max(seen) * 1.03) if y_limits is None else y_limits
    y = {
        "field": "loss",
        "type": "quantitative",
        "title": y_title,
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"format": ".2~f", "tickCount": 6},
    }
    look = {
        "color": {
            "field": "law",
            "type": "nominal",
            "title": None,
            "scale": {"domain": names, "range": [colors[1], colors[2], colors[3]][: len(names)]},
            "legend": {
                "orient": "top",
                "columns": 1,
                "labelLimit": 400,
                "symbolType": "stroke",
                "symbolStrokeWidth": 3,
                "symbolSize": 420,
            },
        },
        "strokeDash": {
            "field": "law",
            "type": "nominal",
            "title": None,
            "scale": {"domain": names, "range": [[7, 4], [1, 0], [2, 3]][: len(names)]},
        },
    }
    curves = [{"size": size, "loss": loss, "law": law.name} for law in laws for size, loss in law.points]
    # Two intervals at one size would cover each other, so each stands a little aside.
    next_ones = [
        {
            "size": law.at * (0.97 + 0.06 * i),
            "loss": law.value,
            "low": law.low,
            "high": law.high,
            "law": law.name,
            "what": f"{law.name}: {law.value:.3f}, between {law.low:.3f} and {law.high:.3f}",
        }
        for i, law in enumerate(laws)
    ]
    dots = [{"size": size, "loss": loss, "name": name} for size, loss, name in points]
    place: dict[str, Any] = {"x": x, "y": y}
    tooltip = [
        {"field": "name", "title": "model"},
        {"field": "size", "type": "quantitative", "format": ",d", "title": "parameters"},
        {"field": "loss", "type": "quantitative", "format": ".3f", "title": y_title},
    ]
    said = [{"field": "what", "title": "predicted"}]
    rule = {**place, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": look["color"], "tooltip": said}
    layers: list[Spec] = [
        {
            "data": {"values": curves},
            "mark": {"type": "line", "strokeWidth": 2.2, "clip": True},
            "encoding": {**place, **look},
        },
        {"data": {"values": next_ones}, "mark": {"type": "rule", "strokeWidth": 5, "opacity": 0.55}, "encoding": rule},
        {
            "data": {"values": next_ones},
            "mark": {"type": "point", "shape": "square", "filled": True, "size": 90, "opacity": 1},
            "encoding": {**place, "color": look["color"], "tooltip": said},
        },
        {
            "data": {"values": dots},
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "color": colors[0]},
            "encoding": {**place, "tooltip": tooltip},
        },
        {
            "data": {"values": dots},
            "mark": {"type": "text", "dy": -13, "fontSize": 11, "color": colors[7]},
            "encoding": {**place, "text": {"field": "name"}},
        },
    ]
    if landed is not None:
        it = [{"size": landed[0], "loss": landed[1], "name": landed[2]}]
        layers.append(
            {
                "data": {"values": it},
                "mark": {"type": "point", "shape": "diamond", "filled": True, "size": 260, "opacity": 1,
                         "color": accent(mode)},
                "encoding": {**place, "tooltip": tooltip},
            }
        )  # fmt: skip
    return {"$schema": SCHEMA, "height": HEIGHT, "layer": layers}
