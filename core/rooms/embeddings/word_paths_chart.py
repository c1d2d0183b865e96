"""Two paths of one word's vector through a model, and how alike the two are at each stage."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.charts.figure import Drawn, Spec, alt, by_name, figure, hole, row_height, told_apart, tooltip
from core.charts.theme import Mode, categorical

HEIGHT = 310


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

    def draw() -> Drawn:
        x, y = alt.X("x:Q", title=axis_titles[0]), alt.Y("y:Q", title=axis_titles[1])
        x, y = (one.scale(zero=False).axis(labels=False, ticks=False, grid=True) for one in (x, y))
        legend = alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=4)
        color, dash = told_apart("path", names, mode, legend, dashes=[[1, 0], [6, 4]])
        base = alt.Chart().encode(x, y)
        tips = tooltip(("path:N", "sentence"), ("stage:N", "after"))
        # A sign of its own for each, so that a point of which only the number shows is still told apart.
        shape = by_name(alt.ShapeValue, "path", dict(zip(names, ("circle", "square"), strict=True)))
        numbers = base.mark_text(fontSize=11, fontWeight=600, color="#000000" if mode == "dark" else "#FFFFFF")
        return alt.layer(
            base.mark_line(strokeWidth=2, opacity=0.8).encode(color, dash, alt.Order("order:Q")),
            base.mark_point(filled=True, size=320, opacity=1).encode(color, shape, tooltip=tips),
            numbers.encode(alt.Text("number:N"), tooltip=tips),
        )

    return figure(draw, {"rows": rows}, height=HEIGHT)


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
    low = min(0.0, float(np.nanmin(np.asarray(cosines, dtype=np.float64), initial=0.0)))

    def draw() -> Drawn:
        cosine, end = (
            alt.X(f"{field}:Q", title="cosine between the two")
            .scale(domain=hole("ends"), nice=False)
            .axis(values=hole("ticks"), format=".1f")
            for field in ("cosine", "end")
        )
        base = alt.Chart().encode(alt.Y("stage:N", sort=None, title=None).axis(labelLimit=200, minExtent=125))
        tips = tooltip(("stage:N",), ("cosine:N",), ("distance:N",))
        numbers = base.mark_text(align="left", dx=6, fontSize=12, color=categorical(mode)[7])
        return alt.layer(
            base.mark_bar(cornerRadiusEnd=2, color=categorical(mode)[2]).encode(cosine, tooltip=tips),
            numbers.encode(end, alt.Text("text:N")),
        )

    holes = {"ends": [low, 2.6], "ticks": [v for v in (-1, -0.5, 0, 0.5, 1) if v >= low]}
    return figure(draw, {"rows": rows}, holes, **row_height(len(rows), 30))
