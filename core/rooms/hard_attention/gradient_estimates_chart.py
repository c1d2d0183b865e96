"""An estimate of a gradient against the exact one, and how far off it is by the number of draws."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from core.charts.figure import (
    DASHES,
    Drawn,
    Spec,
    alt,
    by_name,
    by_place,
    figure,
    hole,
    of,
    placed,
    told_apart,
    tooltip,
)
from core.charts.theme import Mode, categorical
from core.rooms.hard_attention.compute.score_gradients import Estimate

Values = Sequence[float] | NDArray[Any]


def estimated(places: Sequence[str], exact: Mapping[str, Values], guess: Estimate, *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: for each place exact gradients, at most four, and the estimate with its error."""
    names, labels = (*exact, "estimate"), placed(places)
    rows: list[dict[str, Any]] = [
        {"place": label, "value": float(value), "name": name}
        for name, values in exact.items()
        for label, value in zip(labels, values, strict=True)
    ]
    for label, mean, error in zip(labels, map(float, guess.mean), map(float, guess.error), strict=True):
        rows.append({"place": label, "value": mean, "name": "estimate", "low": mean - error, "high": mean + error})

    def draw() -> Drawn:
        shapes = [*("square", "diamond", "triangle-up", "cross")[: len(names) - 1], "circle"]
        color, _ = told_apart("name", names, mode, alt.Legend(orient="top", columns=2, labelLimit=200))
        offset = alt.XOffset("name:N", sort=names).scale(domain=names)
        base = alt.Chart().encode(by_place(alt.X, "card", labelAngle=0), offset, color)
        value, low = (
            alt.Y(f"{field}:Q", title="gradient for the score").axis(tickCount=5) for field in ("value", "low")
        )
        intervals = base.transform_filter("datum.name === 'estimate'").mark_rule(strokeWidth=2)
        return alt.layer(
            of("zero").mark_rule(color=categorical(mode)[7], opacity=0.5).encode(alt.Y("zero:Q")),
            intervals.encode(low, alt.Y2("high")),
            base.mark_point(filled=True, size=90, opacity=1, strokeWidth=3).encode(
                value, _by_shape(names, shapes), tooltip=tooltip(("name:N", "gradient"), ("value:Q", "nats", ".4f"))
            ),
        )

    return figure(draw, {"rows": rows, "zero": [{"zero": 0}]}, height=300)


def errors_by_draws(
    n_draws: Sequence[int],
    measured: Mapping[str, Sequence[float]],
    expected: Mapping[str, Sequence[float]],
    length: float,
    *,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification, both axes by factors: how far an estimate is off. Dots measured, lines expected.

    Args:
        length: of the exact gradient, drawn as a rule: above it the estimate is more noise than gradient.
    """
    names, counts = tuple(measured), tuple(n_draws)
    dots, lines = _rows(n_draws, measured), _rows(n_draws, expected)
    values = [row["value"] for row in dots + lines] + [length] * (length > 0) or [0.1, 1.0]
    low, high = min(values) / 1.5, max(values) * 1.5
    powers = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(max(values))) + 1)]

    def draw() -> Drawn:
        x = alt.X("n:Q", title="draws").scale(type="log", domain=[min(counts), max(counts)], nice=False)
        x = x.axis(values=counts[::2], format=",d")
        y = alt.Y("value:Q", title="usual error").scale(type="log", domain=hole("ends"), nice=False)
        y = y.axis(values=hole("powers"), format=".1~g")
        color, _ = told_apart("name", names, mode, alt.Legend(orient="top", labelLimit=240, symbolStrokeWidth=0))
        dash = by_name(alt.StrokeDashValue, "name", {name: DASHES[i] for i, name in enumerate(names)})
        shape = _by_shape(names, ["circle", "square", "triangle-up"][: len(names)])
        tips = tooltip(("name:N", "estimate"), ("n:Q", "draws", ",d"), ("value:Q", "measured error, nats", ".4f"))
        rule, ink = of("length").encode(alt.Y("value:Q")), categorical(mode)[7]
        name = rule.mark_text(align="right", dx=-4, dy=-8, fontSize=12, color=ink)
        return alt.layer(
            rule.mark_rule(strokeDash=[5, 4], color=ink),
            name.encode(alt.XValue("width"), alt.Text("label:N")),
            of("lines").mark_line(strokeWidth=1.5).encode(x, y, color, dash),
            of("dots").mark_point(filled=True, size=70, opacity=1).encode(x, y, color, shape, tooltip=tips),
        )

    rule = [{"value": length, "label": "length of the gradient"}] if length > 0 else None
    return figure(
        draw, {"length": rule, "lines": lines, "dots": dots}, {"ends": [low, high], "powers": powers}, height=240
    )


def _rows(n_draws: Sequence[int], errors: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Points on an axis by factors, so without those at 0."""
    return [
        {"n": n, "value": float(value), "name": name}
        for name, values in errors.items()
        for n, value in zip(n_draws, values, strict=True)
        if value > 0
    ]


def _by_shape(names: Sequence[str], shapes: Sequence[str]) -> Drawn:
    return alt.Shape("name:N", title=None).scale(domain=names, range=shapes)
