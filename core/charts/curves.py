"""Curves of training runs, cheap enough to be made twice a second.

The axis of steps has its full length from the beginning, so that a running curve grows into it and the picture does not
jump. Color is never the only sign: training is a bare line, validation is dashed with dots, reference lines are named.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.charts.figure import Drawn, Spec, alt, by_pointer, figure, hole, of, strokes, told_apart, tooltip
from core.charts.theme import Mode, categorical

MAX_POINTS = 300  # more than a chart of 700 pixels can show, few enough to send twice a second

Point = Mapping[str, Any]


@dataclass(frozen=True)
class Reference:
    """A value to compare with, drawn as a dashed line across the chart."""

    value: float  # such as a loss in nats per token
    label: str  # what reaches it, as "guessing blindly"


@dataclass(frozen=True)
class Curve:
    """One line among others, such as the validation losses of a run."""

    label: str  # must differ from the others'
    x: Sequence[float]  # rising
    y: Sequence[float]


def thin(points: Sequence[Point], limit: int = MAX_POINTS) -> list[Point]:
    """At most `limit` of the points: every n-th, the first, the last, and first of all those with a validation loss.

    Nothing is averaged, so every point shown is one that was computed.
    """
    if len(points) <= limit:
        return list(points)
    measured = [i for i, point in enumerate(points) if point.get("val_loss") is not None]
    measured = measured[:: math.ceil(len(measured) / (limit // 2))] if measured else []
    keep = {0, len(points) - 1, *measured}
    stride = math.ceil(len(points) / max(1, limit - len(keep)))
    return [points[i] for i in sorted(keep | set(range(0, len(points), stride)))]


def loss_curves(
    points: Sequence[Point],
    references: Sequence[Reference] = (),
    *,
    n_step: int,
    y_title: str = "loss (nats per token)",
    mode: Mode = "light",
    log_steps: bool = False,
    height: int = 340,
) -> Spec:
    """Training and validation loss by step, with lines for what other predictors reach.

    Args:
        points: in order of steps, each with `step`, `loss` and `val_loss` (or None), nats per token.
        references: losses to compare with.
        n_step: of the whole run: the length of the axis.
        log_steps: whether each doubling of the steps takes the same room, which opens up the beginning.
    """
    rows = [
        {"step": point["step"], "loss": point[field], "series": series}
        for series, field in (("training", "loss"), ("validation", "val_loss"))
        for point in points
        if _finite(point[field])
    ]
    lines = [{"loss": one.value, "label": one.label} for one in references if _finite(one.value)]
    top = max([row["loss"] for row in rows + lines] + [1.0]) * 1.12
    # A line needs two points, so the very first ones are drawn as dots.
    dotted = "datum.series === 'validation'" if len(points) > 2 else "true"

    def draw() -> Drawn:
        ink = categorical(mode)[7]
        color, dash = told_apart("series", ("training", "validation"), mode, strokes())
        named = of("lines").encode(alt.Y("loss:Q"))
        y = alt.Y("loss:Q", title=y_title).scale(domain=hole("losses"), nice=False).axis(tickCount=6)
        base = alt.Chart().encode(_steps(n_step, log_steps), y, color)
        tips = tooltip(("series:N", "loss on the text of"), ("step:Q", "", ",d"), ("loss:Q", "", ".3f"))
        return alt.layer(
            named.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=ink, opacity=0.8),
            named.mark_text(align="right", dx=-4, dy=-9, fontSize=12, color=ink).encode(
                alt.XValue("width"), alt.Text("label:N")
            ),
            base.mark_line(strokeWidth=2, clip=True).encode(dash),
            base.mark_point(filled=True, size=36, opacity=1, clip=True).transform_filter(dotted),
            by_pointer(base, tips, clip=True),
        )

    return figure(draw, {"rows": rows, "lines": lines or None}, {"losses": [0, round(top, 3)]}, height=height)


def right_answers(
    points: Sequence[Point],
    reference: Reference | None = None,
    *,
    n_step: int,
    y_title: str = "right answers",
    mode: Mode = "light",
    log_steps: bool = False,
    height: int = 170,
) -> Spec:
    """The share of questions that a model answers exactly right, by step, from 0 to all.

    points: in order of steps, each with `step` and `right_share`, 0 to 1, or None where nothing was asked.
    reference: a share to compare with.
    """
    rows = [{"step": p["step"], "share": p["right_share"]} for p in points if _finite(p.get("right_share"))]
    lines = [{"share": one.value, "label": one.label} for one in (reference,) if one is not None]

    def draw() -> Drawn:
        ink, green = categorical(mode)[7], categorical(mode)[2]
        named = of("lines").encode(alt.Y("share:Q"))
        y = alt.Y("share:Q", title=y_title).scale(domain=[0, 1], nice=False).axis(values=[0, 0.5, 1], format=".0%")
        base = alt.Chart().encode(_steps(n_step, log_steps).title(None), y)
        tips = tooltip(("step:Q", "", ",d"), ("share:Q", "right", ".1%"))
        return alt.layer(
            named.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=ink, opacity=0.8),
            named.mark_text(align="right", dx=-4, dy=-9, fontSize=12, color=ink).encode(
                alt.XValue("width"), alt.Text("label:N")
            ),
            base.mark_line(strokeWidth=2.5, color=green, clip=True),
            base.mark_point(filled=True, size=36, opacity=1, color=green, clip=True),
            by_pointer(base, tips, clip=True),
        )

    return figure(draw, {"rows": rows, "lines": lines or None}, {}, height=height)


def gradient_norms(points: Sequence[Point], *, n_step: int, mode: Mode = "light", height: int = 170) -> Spec:
    """How strongly each step of a run pulls at the weights: the length of the whole gradient, on a logarithmic scale.

    points: in order of steps, each with `step` and `grad_norm`.
    """
    rows = [
        {"step": p["step"], "norm": p["grad_norm"]} for p in points if _finite(p["grad_norm"]) and p["grad_norm"] > 0
    ]
    limits = {} if rows else {"domain": [0.1, 10]}  # of nothing there is no logarithm

    def draw() -> Drawn:
        y = alt.Y("norm:Q", title="gradient norm").scale(hole("limits")).axis(tickCount=3, format="~g")
        base = alt.Chart().encode(_steps(n_step).title(None), y)
        line = base.mark_line(strokeWidth=1.5, color=categorical(mode)[2], clip=True)
        return alt.layer(line, by_pointer(base, tooltip(("step:Q", "", ",d"), ("norm:Q", "", ".3g"))))

    return figure(draw, {"rows": rows}, {"limits": {"type": "log"} | limits}, height=height)


def compare(
    curves: Sequence[Curve],
    *,
    x_title: str,
    y_title: str = "validation loss (nats per token)",
    mode: Mode = "light",
    height: int = 320,
) -> Spec:
    """The validation losses of several runs on one chart; each has a color and a dash of its own.

    Raises ValueError if two curves have one label, or a curve's x and y differ in length.
    """
    rows = [
        {"x": row["x"], "loss": row["y"], "run": row["series"]}
        for row in rows_of(curves, "losses")
        if _finite(row["x"]) and _finite(row["y"])
    ]
    names = tuple(curve.label for curve in curves)

    def draw() -> Drawn:
        legend = alt.Legend(orient="top", columns=1, labelLimit=560, symbolType="stroke", symbolStrokeWidth=4)
        color, dash = told_apart("run", names, mode, legend)
        x = alt.X("x:Q", title=x_title).axis(tickCount=6, format="~s")
        base = alt.Chart().encode(x, alt.Y("loss:Q", title=y_title).scale(zero=False).axis(tickCount=6), color)
        tips = tooltip(("run:N",), ("x:Q", x_title, ",.4~r"), ("loss:Q", "", ".3f"))
        dots = base.mark_point(filled=True, size=36, opacity=1).encode(tooltip=tips)
        return alt.layer(base.mark_line(strokeWidth=2).encode(dash), dots)

    return figure(draw, {"rows": rows}, height=height)


def rows_of(curves: Sequence[Curve], values: str = "values") -> list[dict[str, Any]]:
    """One row for each point: x, y and the label as "series". What does not fit is refused; y are called `values`."""
    labels = [curve.label for curve in curves]
    if len(set(labels)) != len(labels):
        raise ValueError(f"the labels of the curves must differ, not {labels}")
    for curve in curves:
        if len(curve.x) != len(curve.y):
            raise ValueError(f"{curve.label!r} has {len(curve.x)} places and {len(curve.y)} {values}")
    return [{"x": x, "y": y, "series": curve.label} for curve in curves for x, y in zip(curve.x, curve.y, strict=True)]


def parts_bar(parts: Mapping[str, int], *, mode: Mode = "light", height: int = 76) -> Spec:
    """One bar cut into parts, name -> count, for what a whole consists of; the names stand above in their order."""
    total = max(1, sum(parts.values()))
    rows = [
        {"part": f"{name} {count / total:.0%}", "count": count, "share": count / total, "order": i}
        for i, (name, count) in enumerate(parts.items())
    ]

    def draw() -> Drawn:
        legend = alt.Legend(orient="top", symbolType="square")
        x = alt.X("count:Q", stack="zero", axis=None).scale(domain=hole("total"))
        color = alt.Color("part:N", title=None, legend=legend).scale(domain=hole("parts"), range=hole("colors"))
        tips = tooltip(("part:N",), ("count:Q", "", ",d"), ("share:Q", "", ".0%"))
        return alt.layer(alt.Chart().mark_bar(height=18).encode(x, color, alt.Order("order:Q"), tooltip=tips))

    holes = {"total": [0, total], "parts": [row["part"] for row in rows], "colors": categorical(mode)[: len(rows)]}
    return figure(draw, {"rows": rows}, holes, height=height)


def _steps(n_step: int, log: bool = False) -> Drawn:
    x = alt.X("step:Q", title="step")
    if not log:
        return x.scale(domain=[0, max(1, n_step)], nice=False).axis(tickCount=6, tickMinStep=1, format=",d")
    powers = [10**k for k in range(6) if 10**k <= max(2, n_step)]
    scale = {"type": "log", "domain": [1, max(2, n_step)], "nice": False}
    return x.scale(**scale).axis(values=powers, format=",d", grid=False)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
