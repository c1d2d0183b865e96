"""Several measured curves on one chart, with lines to compare with: variants of a model that train side by side."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from core.charts.curves import MAX_POINTS, Reference
from core.charts.figure import (
    LEGEND_ROW,
    Drawn,
    Spec,
    alt,
    by_pointer,
    figure,
    headed,
    hole,
    of,
    rim,
    strokes,
    told_apart,
    tooltip,
)
from core.charts.theme import Mode, categorical

# name -> (steps, values)
Curves = Mapping[str, tuple[Sequence[float] | NDArray[Any], Sequence[float] | NDArray[Any]]]


def race(
    curves: Curves,
    references: Sequence[Reference] = (),
    *,
    title: str = "",
    y_title: str,
    n_step: float,
    x_title: str = "training step",
    x_format: str = ",d",
    mode: Mode = "light",
    y_limits: tuple[float, float] | None = None,
    hidden: Sequence[str] = (),
    marks: Mapping[str, float] = MappingProxyType({}),
    height: int = 280,
) -> Spec:
    """A Vega-Lite specification: one curve for each name; each has a color and a dash of its own.

    The axis of steps has its full length from the beginning, so that a running curve grows into it. Names keep their
    colors when others have no points yet, or are hidden.

    Args:
        curves: name -> (steps, values), steps rising; of long ones every n-th point is drawn.
        references: values to compare with, drawn as dashed rules with their names.
        n_step: of the whole run: the length of the axis.
        x_format: how d3 writes a step.
        y_limits: fixed ends of the upright axis; None: from 0 to a little above the largest value.
        hidden: names whose curve is not drawn, such as one that has still to be guessed.
        marks: name -> a step of its curve, such as its best one, that gets a ring.
        height: of the picture with one row of names, in css pixels; those that a phone needs are added.

    Raises ValueError if a curve has not as many steps as values, or if no curve has a name that is hidden or marked.
    """
    for name, (steps, values) in curves.items():
        if len(steps) != len(values):
            raise ValueError(f"{name!r} has {len(steps)} steps and {len(values)} values")
    if unknown := {*hidden, *marks} - set(curves):
        raise ValueError(f"{sorted(unknown)} are none of the curves {list(curves)}")
    rows: list[dict[str, Any]] = [
        {"step": float(step), "value": float(value), "name": name}
        for name, (steps, values) in curves.items()
        if name not in hidden
        for step, value in _thin(list(zip(steps, values, strict=True)))
        if math.isfinite(value)
    ]
    rings: list[dict[str, Any]] = [
        {"step": float(step), "value": float(value), "name": name}
        for name in sorted(marks.keys() - set(hidden))
        for step, value in zip(*curves[name], strict=True)
        if step == marks[name] and math.isfinite(value)
    ]
    lines: list[dict[str, Any]] = [
        {"value": one.value, "label": one.label} for one in references if math.isfinite(one.value)
    ]
    if y_limits is None:
        y_limits = 0.0, max([row["value"] for row in rows + lines] + [1e-6]) * 1.12
    crowded = [one for one in lines if _is_crowded(one["value"], rows, lines, n_step, y_limits)]
    names, has_rows = tuple(curves), bool(rows)
    # Two short names fit beside each other on a phone.
    columns = 2 if max(map(len, names), default=0) <= 12 else 1

    def draw() -> Drawn:
        color, dash = told_apart("name", names, mode, strokes(names, labelLimit=300))
        x_axis = alt.Axis(tickCount=6, format=x_format, **({"tickMinStep": 1} if x_format == ",d" else {}))
        x = alt.X("step:Q", title=x_title, axis=x_axis).scale(domain=hole("steps"), nice=False)
        y = alt.Y("value:Q", title=y_title).scale(domain=hole("limits"), nice=False, zero=False).axis(tickCount=5)
        base = alt.Chart().encode(x, y, color)
        rule: Spec = {"strokeDash": [5, 4], "strokeWidth": 1.5, "color": categorical(mode)[7], "opacity": 0.8}
        tips = tooltip(("name:N", "curve"), ("step:Q", x_title, x_format), ("value:Q", y_title, ".3f"))
        # A line needs two points, so each is a dot, too. Of none, they have no name for a screen reader.
        return alt.layer(
            of("lines").mark_rule(**rule).encode(alt.Y("value:Q")),
            base.mark_line(strokeWidth=2.5, clip=True).encode(dash),
            *([base.mark_point(filled=True, size=14, opacity=0.9, clip=True)] if has_rows else []),
            of("rings").encode(x, y, color).mark_point(size=150, strokeWidth=2.5),
            *_names("above", -8, mode),
            *_names("below", 10, mode),
            *([by_pointer(base, tips, clip=True)] if has_rows else []),
        )

    data = {"rows": rows, "lines": lines or None, "below": crowded or None, "rings": rings or None}
    data["above"] = [one for one in lines if one not in crowded] or None
    holes = {"steps": [0, max(n_step, 1e-9)], "limits": list(y_limits)}
    tall = height + LEGEND_ROW * (math.ceil(len(names) / columns) - 1)  # the names take their room from the picture
    return figure(draw, data, holes, height=tall, **headed(title))


def _names(which: str, dy: int, mode: Mode) -> list[Drawn]:
    """The names of references at the right end of their rules."""
    base = of(which).encode(alt.Y("value:Q"), alt.XValue("width"), alt.Text("label:N"))
    look: Spec = {"align": "right", "dx": -4, "dy": dy, "fontSize": 12, "color": categorical(mode)[7]}
    return [base.mark_text(**look, **rim(mode)), base.mark_text(**look)]


def _thin(points: list[Any]) -> list[Any]:
    """Every n-th point and the last: more than a chart can show are not sent."""
    stride = math.ceil(len(points) / MAX_POINTS) or 1
    return points[::stride] + (points[-1:] if (len(points) - 1) % stride else [])


def _is_crowded(
    value: float,
    rows: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
    n_step: float,
    limits: tuple[float, float],
) -> bool:
    """Whether a name had better stand below its rule: another rule is close above, or more points than below."""
    room = 0.1 * (limits[1] - limits[0])
    rules = [line["value"] - value for line in lines if 0 < abs(line["value"] - value) <= room]
    if rules:
        return max(rules) > 0 and min(rules) > 0
    near = [row["value"] - value for row in rows if row["step"] > n_step / 2 and abs(row["value"] - value) <= room]
    return sum(distance > room / 10 for distance in near) > sum(distance < -room / 10 for distance in near)
