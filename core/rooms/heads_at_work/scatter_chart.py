"""Two numbers for each of some things, as points; groups of them differ in color and in shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.charts.curves import table
from core.charts.theme import Mode, categorical

SHAPES = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down")
Spec = dict[str, Any]


@dataclass(frozen=True)
class Points:
    """One group.

    Args:
        names: of the points.
        x, y: one number for each.
    """

    names: Sequence[str]
    x: Sequence[float]
    y: Sequence[float]


def scatter(
    groups: Mapping[str, Points],
    *,
    x_title: str,
    y_title: str,
    x_limits: tuple[float, float] | None = None,
    n_named: int = 3,
    mode: Mode = "light",
    height: int = 320,
) -> Spec:
    """A Vega-Lite specification: points whose names are under the pointer; the highest ones are named beside.

    Args:
        groups: name -> its points.
        x_title, y_title: what the numbers are, with their units.
        x_limits: fixed ends of the level axis.
        n_named: so many points with the largest y have their names printed.

    Raises:
        ValueError: if a group has not as many names as numbers.
    """
    for group, points in groups.items():
        if not len(points.names) == len(points.x) == len(points.y):
            raise ValueError(f"{group!r} has {len(points.names)} names, {len(points.x)} x and {len(points.y)} y")
    rows: list[dict[str, Any]] = [
        {"group": group, "name": name, "x": float(x), "y": float(y)}
        for group, points in groups.items()
        for name, x, y in zip(points.names, points.x, points.y, strict=True)
    ]
    highest = sorted(rows, key=lambda row: -row["y"])[:n_named]
    names, colors = list(groups), categorical(mode)
    encoding: Spec = {
        "x": {
            "field": "x",
            "type": "quantitative",
            "title": x_title,
            "scale": {"nice": False, "padding": 12} | ({"domain": list(x_limits)} if x_limits else {}),
            "axis": {"tickCount": 5},
        },
        "y": {"field": "y", "type": "quantitative", "title": y_title, "axis": {"tickCount": 5}},
    }
    # Both legends have one domain and so become one.
    look: Spec = {
        name: {
            "field": "group",
            "type": "nominal",
            "scale": {"domain": names, "range": [kinds[i % len(kinds)] for i in range(len(names))]},
            "legend": {"orient": "top", "title": None},
        }
        for name, kinds in (("color", colors), ("shape", SHAPES))
    }
    look["tooltip"] = [
        {"field": "group", "title": "model"},
        {"field": "name", "title": "head"},
        {"field": "x", "type": "quantitative", "title": x_title, "format": ".3f"},
        {"field": "y", "type": "quantitative", "title": y_title, "format": ".3f"},
    ]
    return {
        "height": height,
        **table(rows),
        "layer": [
            {
                # Outlines, so that a point under another one is still seen.
                "mark": {"type": "point", "filled": False, "strokeWidth": 2, "size": 90, "opacity": 1},
                "encoding": {**encoding, **look},
            },
            {
                "data": {"values": highest},
                "mark": {"type": "text", "align": "left", "dx": 9, "fontSize": 12, "color": colors[7]},
                "encoding": {**encoding, "text": {"field": "name"}},
            },
        ],
    }
