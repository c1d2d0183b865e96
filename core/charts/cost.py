"""What a layer costs by length: lines that rise by N and by N squared, where they cross, and measured times."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.figure import Drawn, Spec, alt, by_pointer, figure, of, strokes, told_apart, tooltip, upright
from core.charts.theme import Mode, accent, categorical

HEIGHT = 330
_NAMES = ("measured", "fitted curve", "extrapolated, not measured")


def growth(
    lengths: Sequence[int],
    lines: Mapping[str, Sequence[float]],
    *,
    y_title: str,
    at: int,
    crossing: float | None,
    crossing_label: str = "",
    x_title: str = "length N (tokens)",
    y_format: str = "~s",
    at_label: str = "",
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: up to three lines over the length, both axes logarithmic.

    Args:
        lengths: rising, above 0.
        lines: name -> values above 0, as many as there are lengths.
        at: the length to mark with an upright line.
        crossing: the length where two lines cross, marked and named; None where they do not.
        at_label: stands at the upright line; without one it says N.

    Raises ValueError if there are no lengths, or a line has not as many values.
    """
    if not lengths:
        raise ValueError("there are no lengths to draw")
    for name, values in lines.items():
        if len(values) != len(lengths):
            raise ValueError(f"{name!r} has {len(values)} values for {len(lengths)} lengths")
    rows = [
        {"length": n, "value": float(v), "line": name}
        for name, values in lines.items()
        for n, v in zip(lengths, values, strict=True)
    ]
    ends, names = (min(lengths), max(lengths)), tuple(lines)
    far = math.log(at / ends[0]) > 0.6 * math.log(ends[1] / ends[0])  # there is more room on its left
    at_dx = -6 if (far if crossing is None else at < crossing) else 6
    crossing_dx = -6 if crossing is not None and crossing <= at else 6

    def draw() -> Drawn:
        x = _length_axis(ends, x_title)
        color, dash = told_apart("line", names, mode, strokes(names, labelLimit=420))
        y = alt.Y("value:Q", title=y_title).scale(type="log").axis(format=y_format, tickCount=6)
        base = alt.Chart().encode(x, y, color)
        tips = tooltip(("line:N",), ("length:Q", x_title, ",d"), ("value:Q", y_title, ",.4~s"))
        return alt.layer(
            base.mark_line(strokeWidth=2.5).encode(dash),
            by_pointer(base, tips, 140),
            *upright("at", x, categorical(mode)[7], at_dx),
            *upright("crossing", x, accent(mode), crossing_dx, y=26),
        )

    data: dict[str, list[dict[str, Any]]] = {"rows": rows}
    data["at"] = [{"length": float(at), "label": at_label or f"N = {at:,}"}]
    if crossing is not None and ends[0] <= crossing <= ends[1]:
        data["crossing"] = [{"length": crossing, "label": crossing_label}]
    return figure(draw, data, height=HEIGHT)


def measured(
    lengths: Sequence[int],
    seconds: Sequence[float],
    curve: Sequence[tuple[float, float]],
    *,
    beyond: Sequence[tuple[float, float, str]] = (),
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: measured times as points and the fitted curve through them, both axes logarithmic.

    Args:
        curve: (length, seconds) of the fitted curve; may be empty.
        beyond: (length, seconds, name) of places further out, which only the curve reaches: hollow, and named.

    Raises ValueError if the lengths differ.
    """
    if len(lengths) != len(seconds):
        raise ValueError(f"{len(lengths)} lengths do not match {len(seconds)} times")
    points = [{"length": n, "ms": 1000 * s, "what": _NAMES[0]} for n, s in zip(lengths, seconds, strict=True)]
    line = [{"length": n, "ms": 1000 * s, "what": _NAMES[1]} for n, s in curve if s > 0]
    guesses = [{"length": n, "ms": 1000 * s, "what": _NAMES[2], "name": name} for n, s, name in beyond if s > 0]
    ends = min(lengths, default=1), max([*lengths, *(round(n) for n, _, _ in beyond)], default=2)
    names = _NAMES[: 3 if beyond else 2]

    def draw() -> Drawn:
        y = alt.Y("ms:Q", title="time of one pass (milliseconds)").scale(type="log").axis(format="~g", tickCount=6)
        place = _length_axis(ends, "length N (tokens)"), y
        color, _ = told_apart("what", names, mode, strokes(names, labelLimit=420))
        tips = tooltip(("what:N",), ("length:Q", "", ",d"), ("ms:Q", "milliseconds", ".3~g"))
        line, points, far = (of(name).encode(*place) for name in ("line", "points", "beyond"))
        label = far.mark_text(align="right", dx=-9, dy=-4, fontSize=12, color=categorical(mode)[7])
        return alt.layer(
            line.mark_line(strokeWidth=2, strokeDash=[6, 3]).encode(color),
            points.mark_point(filled=True, size=70, opacity=1).encode(color, tooltip=tips),
            far.mark_point(shape="diamond", filled=False, size=90, strokeWidth=2).encode(color, tooltip=tips),
            label.encode(alt.Text("name:N")),
        )

    return figure(draw, {"line": line, "points": points, "beyond": guesses or None}, height=HEIGHT)


def _length_axis(ends: tuple[int, int], title: str) -> Drawn:
    values = [2**k for k in range(0, 21, 2) if ends[0] <= 2**k <= ends[1]]
    x = alt.X("length:Q", title=title).scale(type="log", base=2, domain=ends, nice=False)
    return x.axis(values=values, format=",d", labelOverlap="parity", labelSeparation=8)
