"""Distributions and nonlinearities: histograms beside a normal curve, units on their bend, curves of functions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from core.charts.figure import (
    DASHES,
    LEGEND_ROW,
    Drawn,
    Spec,
    alt,
    by_pointer,
    figure,
    hole,
    of,
    strokes,
    told_apart,
    tooltip,
)
from core.charts.theme import Mode, categorical
from core.rooms.block.compute.moments import Histogram

Numbers = Sequence[float] | NDArray[Any]


def histogram(
    bins: Histogram, *, title: str, height: int, mode: Mode = "light", with_normal: bool = False, second: bool = False
) -> Spec:
    """A Vega-Lite specification: bars of counts, and a line for what a normal distribution would give.

    The second of two histograms has a color of its own.
    """
    edges = bins.edges.tolist()
    rows = [
        {"low": a, "high": b, "middle": (a + b) / 2, "count": float(n)}
        for a, b, n in zip(edges[:-1], edges[1:], bins.counts, strict=True)
    ]
    normal = None
    if with_normal and bins.normal is not None:
        normal = [row | {"count": float(n)} for row, n in zip(rows, bins.normal, strict=True)]

    def draw() -> Drawn:
        colors = categorical(mode)
        x, middle = (
            alt.X(f"{field}:Q", title=title).scale(domain=hole("edges"), nice=False).axis(tickCount=6)
            for field in ("low", "middle")
        )
        y = alt.Y("count:Q", title="how many").axis(tickCount=4, tickMinStep=1)
        tips = tooltip(("low:Q", "from", ".3f"), ("high:Q", "to", ".3f"), ("count:Q",))
        bars = alt.Chart().mark_bar(color=colors[2 if second else 0], binSpacing=0.5)
        line = of("normal").mark_line(color=colors[7], strokeDash=[5, 3], strokeWidth=1.5)
        return alt.layer(
            bars.encode(x.bin("binned"), alt.X2("high"), y, tooltip=tips),
            line.encode(middle, y),
        )

    return figure(draw, {"rows": rows, "normal": normal}, {"edges": [edges[0], edges[-1]]}, height=height)


def functions(
    x: Numbers,
    curves: Mapping[str, Numbers],
    *,
    y_title: str,
    at: float | None = None,
    y_limits: tuple[float, float] | None = None,
    order: Sequence[str] = (),
    mode: Mode = "light",
    format: str = ".4f",
) -> Spec:
    """A Vega-Lite specification: functions of one number, each with a color and a dash of its own.

    Args:
        at: where an upright line stands.
        y_limits: what the y axis shows; the rest is cut off.
        order: all names there may be, so that a function keeps its color when others come and go.
    """
    names = tuple(name for name in (order or list(curves)) if name in curves)
    places = tuple((list(order) or list(names)).index(name) for name in names)
    columns = 2 if max(map(len, names), default=0) <= 9 else 1  # so many letters twice fit half of a projector's width
    rows = [
        {"x": round(float(a), 6), "y": float(b), "name": name}
        for name in names
        for a, b in zip(x, curves[name], strict=True)
    ]

    def draw() -> Drawn:
        axis = alt.X("x:Q", title="x").scale(nice=False)
        values = alt.Y("y:Q", title=y_title)
        if y_limits is not None:
            values = values.scale(domain=y_limits, nice=False)
        dashes = [DASHES[i % len(DASHES)] for i in places]
        color, dash = told_apart("name", names, mode, strokes(names), colors=places, dashes=dashes)
        base = alt.Chart().encode(axis, values, color)
        tips = tooltip(("name:N", "function"), ("x:Q", "", ".2f"), ("y:Q", y_title, format))
        return alt.layer(
            base.mark_line(strokeWidth=2, clip=True).encode(dash),
            by_pointer(base, tips, 80, clip=True),
            of("at").mark_rule(color=categorical(mode)[7], strokeDash=[3, 3]).encode(axis),
        )

    tall = 320 + LEGEND_ROW * max(0, math.ceil(len(names) / columns) - 2)  # the names take their room
    return figure(draw, {"rows": rows, "at": None if at is None else [{"x": at}]}, height=tall)
