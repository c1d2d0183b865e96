"""Effects with their error bars, the best on top; and two curves, each with the band of its seeds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.charts.figure import Drawn, Spec, alt, figure, hole, of, row_height, strokes, told_apart, tooltip
from core.charts.theme import Mode, categorical

ROW = 22  # css pixels
TOLD, NOISE = "beyond the noise", "within the noise"


def error_bars(
    labels: Sequence[str],
    means: Sequence[float],
    errors: Sequence[float],
    noise: float,
    *,
    x_title: str,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: a dot with its error for each label, lowest on top, and the noise about zero.

    Args:
        errors: one standard error of each, drawn to both sides.
        noise: dots no farther than this from zero are drawn hollow and pale; a band shows how far it goes.

    Raises ValueError if the lengths differ.
    """
    if not len(labels) == len(means) == len(errors):
        raise ValueError(f"{len(labels)} labels do not match {len(means)} means, {len(errors)} errors")
    rows: list[dict[str, Any]] = [
        {
            "label": label,
            "mean": round(float(mean), 5),
            "low": round(float(mean - error), 5),
            "high": round(float(mean + error), 5),
            "what": NOISE if abs(mean) <= noise else TOLD,
        }
        for mean, error, label in sorted(zip(means, errors, labels, strict=True))
    ]

    def draw() -> Drawn:
        inks = categorical(mode)
        color = alt.Color("what:N", title=None).scale(domain=[TOLD, NOISE], range=[inks[0], inks[7]])
        color = color.legend(
            orient="top", symbolType="circle", symbolSize=80, labelLimit=300, columns={"expr": "width >= 260 ? 2 : 1"}
        )
        x = alt.X("mean:Q", title=x_title).axis(tickCount=6, format="+.1f")
        y = alt.Y("label:N", sort=None, title=None)
        y = y.axis(labelOverlap=False, labelFlush=False, labelLimit=230, labelFontSize=12, ticks=False, domain=False)
        tips = tooltip(
            ("label:N", "switch"), ("mean:Q", x_title, "+.3f"), ("low:Q", "from", "+.3f"), ("high:Q", "to", "+.3f")
        )
        is_told = f"datum.what === '{TOLD}'"
        fill = alt.condition(is_told, alt.value(inks[0]), alt.value("transparent"))
        faint = alt.condition(is_told, alt.value(1), alt.value(0.6))
        base = alt.Chart().encode(y, color)
        return alt.layer(
            of("band").mark_rect(color=inks[7], opacity=0.14).encode(alt.X("low:Q", title=x_title), alt.X2("high:Q")),
            of("zero").mark_rule(strokeWidth=1.5, color=inks[7]).encode(alt.X("at:Q", title=x_title)),
            base.mark_rule(strokeWidth=2.5).encode(alt.X("low:Q", title=x_title), alt.X2("high:Q"), opacity=faint),
            base.mark_point(size=75, strokeWidth=2, opacity=1).encode(x, fill=fill, tooltip=tips),
        )

    data = {"rows": rows, "band": [{"low": -noise, "high": noise}], "zero": [{"at": 0}]}
    return figure(draw, data, **row_height(len(rows), ROW))


def bands(
    steps: Sequence[float] | NDArray[Any],
    curves: Mapping[str, NDArray[Any]],
    *,
    x_title: str,
    y_title: str,
    n_step: float,
    y_limits: tuple[float, float],
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: the mean of each curve, and from its lowest to its highest seed.

    Args:
        curves: name -> (n, seeds), as many rows as there are steps.

    Raises ValueError if a curve has not.
    """
    for name, values in curves.items():
        if len(values) != len(steps):
            raise ValueError(f"{name!r} has {len(values)} values for {len(steps)} steps")
    rows = [
        {
            "step": float(step),
            "mean": float(np.mean(row)),
            "low": float(np.min(row)),
            "high": float(np.max(row)),
            "name": name,
        }
        for name, values in curves.items()
        for step, row in zip(steps, values, strict=True)
    ]
    names = tuple(curves)

    def draw() -> Drawn:
        color, dash = told_apart("name", names, mode, strokes(names, labelLimit=320, symbolOpacity=1))
        x = alt.X("step:Q", title=x_title).scale(domain=hole("steps"), nice=False).axis(tickCount=6, format=",d")
        y = alt.Y("mean:Q", title=y_title).scale(domain=hole("limits"), nice=False, zero=False).axis(tickCount=6)
        base = alt.Chart().encode(x, color)
        tips = tooltip(("name:N", "block"), ("step:Q", x_title, ",d"), ("mean:Q", y_title, ".3f"))
        return alt.layer(
            base.mark_area(opacity=0.22, clip=True).encode(alt.Y("low:Q", title=y_title), alt.Y2("high:Q")),
            base.mark_line(strokeWidth=2.5, clip=True).encode(y, dash),
            base.mark_point(filled=True, size=26, opacity=0.9, clip=True).encode(y, tooltip=tips),
        )

    return figure(draw, {"rows": rows}, {"steps": [0, n_step], "limits": list(y_limits)}, height=380)
