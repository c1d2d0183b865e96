"""Two paths of one word's vector through a model, and how alike the two are at each stage."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.charts.curves import by_name, row_height, table
from core.charts.theme import Mode, categorical

Spec = dict[str, Any]
HEIGHT = 380


def two_paths(
    points: ArrayLike, stages: Sequence[str], names: tuple[str, str], axis_titles: tuple[str, str], mode: Mode = "light"
) -> Spec:
    """A Vega-Lite specification: two lines on a map, each point a stage with its number,
    round on the first path and square on the second.

    Args:
        points: (2, S, 2) places of the first and of the second path.
        stages: S names.
        names: of the two paths.
    """
    places = np.asarray(points, dtype=np.float64)
    rows = [
        {
            "path": names[which],
            "order": i,
            "stage": f"{i} {stage}",
            "number": str(i),
            "x": round(float(places[which, i, 0]), 5),
            "y": round(float(places[which, i, 1]), 5),
        }
        for which in (0, 1)
        for i, stage in enumerate(stages)
    ]
    colors = categorical(mode)
    quiet = {"labels": False, "ticks": False, "grid": True}
    x = {"field": "x", "type": "quantitative", "title": axis_titles[0], "axis": quiet, "scale": {"zero": False}}
    y = {"field": "y", "type": "quantitative", "title": axis_titles[1], "axis": quiet, "scale": {"zero": False}}
    scale = {"domain": list(names), "range": [colors[0], colors[1]]}
    legend = {"orient": "top", "symbolType": "stroke", "symbolStrokeWidth": 4}
    path = {"field": "path", "type": "nominal", "title": None, "scale": scale, "legend": legend}
    dash = {**path, "scale": {"domain": list(names), "range": [[1, 0], [6, 4]]}}
    # A sign of its own for each, so that a point of which only the number shows is still told apart.
    shape = by_name("path", dict(zip(names, ("circle", "square"), strict=True)))
    place = {"x": x, "y": y}
    tooltip = [{"field": "path", "title": "sentence"}, {"field": "stage", "title": "after"}]
    return {
        "height": HEIGHT,
        **table(rows),
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2, "opacity": 0.8},
                "encoding": {**place, "color": path, "strokeDash": dash, "order": {"field": "order"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 320, "opacity": 1},
                "encoding": {**place, "color": path, "shape": shape, "tooltip": tooltip},
            },
            {
                "mark": {
                    "type": "text",
                    "fontSize": 11,
                    "fontWeight": 600,
                    "color": "#000000" if mode == "dark" else "#FFFFFF",
                },
                "encoding": {**place, "text": {"field": "number"}, "tooltip": tooltip},
            },
        ],
    }


def likeness(cosines: Sequence[float], distances: Sequence[float], stages: Sequence[str], mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: one bar of cosine for each stage, with the cosine and the distance printed."""
    rows = [
        {
            "stage": f"{i} {stage}",
            "cosine": round(float(c), 6),
            "distance": round(float(d), 4),
            "text": f"{c:.3f} · distance {d:.3g}".replace("-", "−"),
            "end": max(0.0, round(float(c), 6)),
        }
        for i, (stage, c, d) in enumerate(zip(stages, cosines, distances, strict=True))
    ]
    colors = categorical(mode)
    low = min(0.0, float(np.nanmin(np.asarray(cosines, dtype=np.float64), initial=0.0)))
    ticks = [v for v in (-1, -0.5, 0, 0.5, 1) if v >= low]
    scale = {"domain": [low, 2.6], "nice": False}
    y = {
        "field": "stage",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelLimit": 200, "minExtent": 125},
    }
    x = {
        "type": "quantitative",
        "title": "cosine between the two",
        "scale": scale,
        "axis": {"values": ticks, "format": ".1f"},
    }
    return {
        **row_height(len(rows), 30),
        **table(rows),
        "layer": [
            {
                "mark": {"type": "bar", "cornerRadiusEnd": 2, "color": colors[2]},
                "encoding": {
                    "x": {"field": "cosine", **x},
                    "y": y,
                    "tooltip": [{"field": name} for name in ("stage", "cosine", "distance")],
                },
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 12, "color": colors[7]},
                "encoding": {"x": {"field": "end", **x}, "y": y, "text": {"field": "text"}},
            },
        ],
    }
