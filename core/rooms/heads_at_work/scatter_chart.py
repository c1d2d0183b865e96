"""Two numbers for each of some things, as points; groups of them differ in color and in shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.charts.figure import Drawn, Spec, alt, figure, of, told_apart, tooltip
from core.charts.theme import Mode, categorical

SHAPES = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down")


@dataclass(frozen=True)
class Points:
    """One group: a name, an x and a y for each point."""

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
    names = tuple(groups)

    def draw() -> Drawn:
        limits = {"domain": x_limits} if x_limits else {}
        x = alt.X("x:Q", title=x_title).scale(nice=False, padding=12, **limits).axis(tickCount=5)
        y = alt.Y("y:Q", title=y_title).axis(tickCount=5)
        # Both legends have one domain and so become one.
        legend = alt.Legend(orient="top", title=None)
        shapes = [SHAPES[i % len(SHAPES)] for i in range(len(names))]
        color, _ = told_apart("group", names, mode, legend, alt.Undefined)
        shape = alt.Shape("group:N", legend=legend).scale(domain=names, range=shapes)
        tips = tooltip(("group:N", "model"), ("name:N", "head"), ("x:Q", x_title, ".3f"), ("y:Q", y_title, ".3f"))
        # Outlines, so that a point under another one is still seen.
        points = alt.Chart().mark_point(filled=False, strokeWidth=2, size=90, opacity=1)
        labels = of("highest").mark_text(align="left", dx=9, fontSize=12, color=categorical(mode)[7])
        return alt.layer(points.encode(x, y, color, shape, tooltip=tips), labels.encode(x, y, alt.Text("name:N")))

    return figure(draw, {"rows": rows, "highest": highest}, height=height)
