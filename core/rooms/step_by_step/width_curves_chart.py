"""What changes with the width of queries and keys: two lines on a logarithmic axis, and bars at one width."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.charts.figure import Drawn, Spec, alt, by_pointer, figure, hole, of, strokes, tooltip
from core.charts.theme import Mode, accent, categorical

NAMES = ("without the root", "with the root")
HEIGHT = 260
EDGES = [10 ** (power / 2) for power in range(-8, 5)]  # of the bins of lengths: 0.0001 to 100
_HOW = ("how:N", "softmax")
Values = Sequence[float] | NDArray[Any]


def width_curve(
    widths: Sequence[int],
    without: Values,
    with_root: Values,
    *,
    at: tuple[int, float, float],
    title: str,
    log: bool = False,
    limit: tuple[float, str] | None = None,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: one quantity by width, without (dashed, orange) and with the root (blue).

    Args:
        at: the chosen width and the quantity there, (width, without, with): an upright line and two dots.
        limit: a value that cannot be exceeded, and its name.
    """
    rows = [
        {"width": int(w), "value": float(v), "how": name}
        for name, values in zip(NAMES, (without, with_root), strict=True)
        for w, v in zip(widths, values, strict=True)
    ]
    dots = [{"width": at[0], "value": float(v), "how": name} for name, v in zip(NAMES, at[1:], strict=True)]
    y_scale: Spec = {}
    if log:
        low, high = (math.log10(end(*without, *with_root, *at[1:])) for end in (min, max))
        y_scale = {"type": "log", "domain": [10 ** math.floor(low), 10 ** math.ceil(high)]}
    elif limit is not None:
        y_scale = {"domain": [0, round(limit[0] * 1.2, 2)], "nice": False}

    def draw() -> Drawn:
        x = alt.X("width:Q", title="width of a query").scale(type="log", base=2, domain=hole("ends"), nice=False)
        x = x.axis(values=[4, 8, 16, 32, 64, 128, 256, 512], format="d")
        y = alt.Y("value:Q", title=title).scale(hole("y_scale")).axis(tickCount=4, **({"format": ",~g"} if log else {}))
        # One legend for both, so that it shows the dashes.
        color = _color(mode).legend(strokes(NAMES, title=None))
        dash = alt.StrokeDash("how:N", sort=NAMES, title=None, legend=strokes(NAMES, title=None))
        rows, dots = (of(name).encode(x, y, color) for name in ("rows", "dots"))
        tips = tooltip(_HOW, ("width:Q", "width"), ("value:Q", title, ".3f"))
        most, quiet = of("most").encode(y), categorical(mode)[7]
        name = most.mark_text(align="right", dy=-8, fontSize=11, color=quiet)
        return alt.layer(
            of("at").mark_rule(color=accent(mode), strokeWidth=1.5).encode(x),
            rows.mark_line(strokeWidth=2).encode(dash.scale(domain=NAMES, range=[[6, 4], [1, 0]])),
            by_pointer(rows, tips, 90),
            dots.mark_point(filled=True, size=70, opacity=1).encode(tooltip=tips),
            most.mark_rule(strokeDash=[2, 3], color=quiet),
            name.encode(alt.XValue("width"), alt.Text("label:N")),
        )

    most = None if limit is None else [{"value": limit[0], "label": limit[1]}]
    data = {"rows": rows, "dots": dots, "at": [{"width": at[0]}], "most": most}
    return figure(draw, data, {"ends": [min(widths), max(widths)], "y_scale": y_scale}, height=HEIGHT)


def weight_bars(without: Values, with_root: Values, *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: the weights of one query on each key, upward without and downward with the root."""
    rows = [
        {"key": key, "weight": round(float(v), 6), "end": sign * round(float(v), 6), "how": name}
        for name, sign, values in zip(NAMES, (1, -1), (without, with_root), strict=True)
        for key, v in enumerate(values)
    ]
    places = tuple(range(0, len(without), 8))

    def draw() -> Drawn:
        x = alt.X("key:O", title="key").axis(values=places, labelAngle=0)
        y = alt.Y("end:Q", title="weight").scale(domain=[-1, 1])
        y = y.axis(values=[-1, -0.5, 0, 0.5, 1], labelExpr="format(abs(datum.value), '.1f')")
        color = _color(mode).legend(None)
        tips = tooltip(_HOW, ("key:O",), ("weight:Q", "", ".4f"))
        names = of("names").mark_text(align="right", dy=alt.ExprRef("datum.at > 0 ? 8 : -8"), fontSize=12)
        return alt.layer(
            alt.Chart().mark_bar(cornerRadiusEnd=1).encode(x, y, color, tooltip=tips),
            names.encode(alt.XValue("width"), alt.Y("at:Q"), alt.Text("how:N"), color),
        )

    names = [{"at": sign, "how": name} for name, sign in zip(NAMES, (1, -1), strict=True)]
    return figure(draw, {"rows": rows, "names": names}, height=HEIGHT)


def length_bars(without: Values, with_root: Values, *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: how many lengths lie in each half decade, upward without, downward with the root.

    Lengths below the lowest bin are counted in it. A line marks the mean of each side, a dashed one its median.
    """
    bins: list[Spec] = []
    marks: list[Spec] = []
    for name, sign, values in zip(NAMES, (1, -1), (without, with_root), strict=True):
        inside = np.clip(values, EDGES[0], EDGES[-1] * (1 - 1e-9))
        for low, high in pairwise(EDGES):
            count = int(((low <= inside) & (inside < high)).sum())
            bins.append({"low": low, "high": high, "count": count, "end": sign * count, "zero": 0, "how": name})
        for what, value in (("mean", float(np.mean(values))), ("median", float(np.median(values)))):
            at = min(max(value, EDGES[0]), EDGES[-1])
            marks.append({"at": at, "value": value, "what": what, "how": name, "end": sign, "zero": 0})
    most = max(1, *(one["count"] for one in bins))
    for mark in marks:
        mark["end"] *= most * 1.25

    def draw() -> Drawn:
        x, at = (
            alt.X(f"{field}:Q", title="length of the gradient at a query")
            .scale(type="log", domain=[EDGES[0], EDGES[-1]], nice=False)
            .axis(values=[0.0001, 0.01, 1, 100], format="~g")
            for field in ("low", "at")
        )
        y, zero = (
            alt.Y(f"{field}:Q", title="queries")
            .scale(domain=hole("counts"), nice=False)
            .axis(tickCount=5, tickMinStep=1, labelExpr="format(abs(datum.value), 'd')")
            for field in ("end", "zero")
        )
        dash = alt.StrokeDash("what:N", legend=None).scale(domain=["mean", "median"], range=[[1, 0], [4, 3]])
        counted = tooltip(_HOW, ("low:Q", "from", ".2g"), ("high:Q", "to", ".2g"), ("count:Q", "queries"))
        of_all = tooltip(_HOW, ("what:N", "of all queries"), ("value:Q", "", ".3f"))
        bars = alt.Chart().mark_rect(cornerRadius=1)
        lines = of("marks").mark_rule(strokeWidth=1.5, color=categorical(mode)[7])
        return alt.layer(
            bars.encode(x, alt.X2("high"), y, alt.Y2("zero"), _color(mode), tooltip=counted),
            lines.encode(at, zero, alt.Y2("end"), dash, tooltip=of_all),
        )

    return figure(draw, {"rows": bins, "marks": marks}, {"counts": [-most * 1.5, most * 1.5]}, height=HEIGHT)


def _color(mode: Mode) -> Drawn:
    colors = alt.Scale(domain=NAMES, range=[categorical(mode)[1], categorical(mode)[0]])
    return alt.Color("how:N", sort=NAMES, title=None, scale=colors, legend=alt.Legend(orient="top", title=None))
