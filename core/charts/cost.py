"""What a layer costs by length: lines that rise by N and by N squared, where they cross, and measured times."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import DASHES, Spec, table
from core.charts.theme import Mode, accent, categorical

HEIGHT = 330


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
        x_title: what the lengths are, where they are no numbers of tokens.
        at_label: stands at the upright line; without one it says N.

    Raises:
        ValueError: if a line has another number of values.
    """
    for name, values in lines.items():
        if len(values) != len(lengths):
            raise ValueError(f"{name!r} has {len(values)} values for {len(lengths)} lengths")
    rows = [
        {"length": n, "value": float(v), "line": name}
        for name, values in lines.items()
        for n, v in zip(lengths, values, strict=True)
    ]
    colors = categorical(mode)
    ends = [min(lengths), max(lengths)]
    x = _length_axis(ends, x_title)
    y = {
        "field": "value",
        "type": "quantitative",
        "title": y_title,
        "scale": {"type": "log"},
        "axis": {"format": y_format, "tickCount": 6},
    }
    line, dash = told_apart(list(lines), mode)
    tooltip = [
        {"field": "line"},
        {"field": "length", "type": "quantitative", "title": x_title, "format": ",d"},
        {"field": "value", "type": "quantitative", "title": y_title, "format": ",.4~s"},
    ]
    far = math.log(at / ends[0]) > 0.6 * math.log(ends[1] / ends[0])  # there is more room on its left
    is_left = far if crossing is None else at < crossing
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2.5}, "encoding": {"x": x, "y": y, "color": line, "strokeDash": dash}},
        {
            "mark": {"type": "point", "size": 140, "opacity": 0},
            "encoding": {"x": x, "y": y, "color": line, "tooltip": tooltip},
        },
        _upright(float(at), at_label or f"N = {at:,}", x, colors[7], top=True, left=is_left),
    ]
    if crossing is not None and ends[0] <= crossing <= ends[1]:
        layers.append(_upright(crossing, crossing_label, x, accent(mode), top=False, left=crossing <= at))
    return {"height": HEIGHT, **table(rows), "layer": layers}


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
        lengths, seconds: what was measured.
        curve: (length, seconds) of the fitted curve; may be empty.
        beyond: (length, seconds, name) of places further out, which only the curve reaches: hollow, and named.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(lengths) != len(seconds):
        raise ValueError(f"{len(lengths)} lengths do not match {len(seconds)} times")
    names, colors = ["measured", "fitted curve", *(["extrapolated, not measured"] if beyond else [])], categorical(mode)
    points = [{"length": n, "ms": 1000 * s, "what": names[0]} for n, s in zip(lengths, seconds, strict=True)]
    line = [{"length": n, "ms": 1000 * s, "what": names[1]} for n, s in curve if s > 0]
    ends = [min(lengths, default=1), max([*lengths, *(round(n) for n, _, _ in beyond)], default=2)]
    x = _length_axis(ends)
    y = {
        "field": "ms",
        "type": "quantitative",
        "title": "time of one pass (milliseconds)",
        "scale": {"type": "log"},
        "axis": {"format": "~g", "tickCount": 6},
    }
    color = {
        "field": "what",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [colors[0], colors[1], colors[2]][: len(names)]},
        "legend": _legend(),
    }
    tooltip = [
        {"field": "what"},
        {"field": "length", "type": "quantitative", "format": ",d"},
        {"field": "ms", "type": "quantitative", "format": ".3~g", "title": "milliseconds"},
    ]
    place = {"x": x, "y": y, "color": color}
    guesses = [{"length": n, "ms": 1000 * s, "what": names[-1], "name": name} for n, s, name in beyond if s > 0]
    return {
        "height": HEIGHT,
        "layer": [
            {
                "data": {"values": line},
                "mark": {"type": "line", "strokeWidth": 2, "strokeDash": [6, 3]},
                "encoding": place,
            },
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {**place, "tooltip": tooltip},
            },
            *(_beyond(guesses, place, tooltip, colors[7]) if guesses else []),
        ],
    }


def _beyond(rows: list[dict[str, Any]], place: Spec, tooltip: list[Spec], ink: str) -> list[Spec]:
    """Hollow diamonds, each with its name on the left."""
    name = {"type": "text", "align": "right", "dx": -9, "dy": -4, "fontSize": 12, "color": ink}
    return [
        {
            "data": {"values": rows},
            "mark": {"type": "point", "shape": "diamond", "filled": False, "size": 90, "strokeWidth": 2},
            "encoding": {**place, "tooltip": tooltip},
        },
        {
            "data": {"values": rows},
            "mark": name,
            "encoding": {"x": place["x"], "y": place["y"], "text": {"field": "name"}},
        },
    ]


def _length_axis(ends: Sequence[int], title: str = "length N (tokens)") -> Spec:
    values = [2**k for k in range(0, 21, 2) if ends[0] <= 2**k <= ends[1]]
    return {
        "field": "length",
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "base": 2, "domain": list(ends), "nice": False},
        "axis": {"values": values, "format": ",d", "labelOverlap": "parity", "labelSeparation": 8},
    }


def told_apart(names: Sequence[str], mode: Mode) -> tuple[Spec, Spec]:
    """Encodings of lines by their name, in the field "line": color and dash."""
    line: Spec = {"field": "line", "type": "nominal", "title": None, "legend": _legend()}
    dashes = [list(DASHES[i]) for i in range(len(names))]
    color: Spec = {**line, "scale": {"domain": list(names), "range": categorical(mode)[: len(names)]}}
    return color, {**line, "scale": {"domain": list(names), "range": dashes}}


def _legend() -> Spec:
    """Names above the chart, one below the other, so that a phone shows them whole, and strokes that show a dash."""
    look = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 420}
    return {"orient": "top", "columns": 1, "labelLimit": 420, **look}


def _upright(value: float, label: str, x: Spec, color: str, *, top: bool, left: bool) -> Spec:
    """A dashed upright line and its name, on its left or its right side."""
    name = {
        "type": "text",
        "align": "right" if left else "left",
        "dx": -6 if left else 6,
        "fontSize": 12,
        "fontWeight": 600,
        "color": color,
    }
    return {
        "data": {"values": [{"length": value, "label": label}]},
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": color}, "encoding": {"x": x}},
            {
                "mark": name,
                "encoding": {"x": x, "y": {"value": 10 if top else 26}, "text": {"field": "label"}},
            },
        ],
    }
