"""What was drawn against what should be: bars of probabilities, dots of frequencies with their intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import SCHEMA, Spec, by_name, row_height, table
from core.charts.places import by_place, placed
from core.charts.theme import Mode, categorical

SHAPES = ("circle", "square", "triangle-up", "diamond")
# (true, drawn, low, high) of each token
Measured = Sequence[tuple[float, float, float, float]]


def draws(tokens: Sequence[str], series: Mapping[str, Measured], *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: for each token one bar a strategy, and on it the dot of what was drawn.

    Args:
        tokens: labels, top to bottom; doubles are fine.
        series: at most four strategies, name -> one (true, drawn, low, high) for each token.
    """
    rows: list[dict[str, Any]] = [
        {
            "place": place,
            "token": token,
            "series": name,
            "true": round(true, 6),
            "drawn": round(drawn, 6),
            "low": round(low, 6),
            "high": round(high, 6),
        }
        for name, values in series.items()
        for place, token, (true, drawn, low, high) in zip(placed(tokens), tokens, values, strict=True)
    ]
    names, colors = list(series), categorical(mode)
    ink = colors[7]
    y = by_place(labelLimit=120)
    offset = {"field": "series", "type": "nominal", "sort": None, "scale": {"domain": names}}
    x = {"type": "quantitative", "title": "probability, and share of the draws"}
    color = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": colors[: len(names)]},
        "legend": {"orient": "top", "columns": 2, "labelLimit": 220, "symbolType": "square"}
        if len(names) > 1
        else None,
    }
    shape = by_name("series", dict(zip(names, SHAPES, strict=False)))
    number = {"type": "quantitative", "format": ".4f"}
    tooltip = [
        {"field": "token", "type": "nominal"},
        {"field": "series", "type": "nominal", "title": "strategy"},
        {"field": "true", "title": "probability", **number},
        {"field": "drawn", "title": "share drawn", **number},
        {"field": "low", "title": "95 % from", **number},
        {"field": "high", "title": "95 % to", **number},
    ]
    place = {"y": y, "yOffset": offset}
    return {
        "$schema": SCHEMA,
        **table(rows),
        **row_height(len(tokens), 18 if len(names) == 1 else 12, len(names)),
        "layer": [
            {
                "mark": {"type": "bar", "opacity": 0.55, "cornerRadiusEnd": 2},
                "encoding": {**place, "x": {**x, "field": "true"}, "color": color, "tooltip": tooltip},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": ink},
                "encoding": {**place, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 34, "color": ink, "opacity": 1},
                "encoding": {
                    **place,
                    "x": {**x, "field": "drawn"},
                    "shape": shape,
                    "tooltip": tooltip,
                },
            },
        ],
    }
