"""Losses over sizes on logarithmic axes: what was measured, two laws through it, and what they say of the next size."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.charts.figure import Drawn, Spec, alt, figure, hole, of, strokes, told_apart, tooltip
from core.charts.theme import Mode, accent, categorical
from core.rooms.sizes.compute.power_law import Law

HEIGHT = 320
Dot = tuple[float, float, str]  # size, loss, name


def power_law(
    dots: Sequence[Dot],
    laws: Mapping[str, Law],
    next_size: float,
    landed: Dot | None,
    *,
    y_limits: tuple[float, float] | None = None,
    y_title: str,
    dots_title: str,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: what was measured, up to three laws through it, and what they say of the next size.

    Args:
        landed: the next model, once it is measured and may be seen.
        y_limits: fixed ends of the upright axis, so that a running picture does not jump; None: what there is to see.
    """
    names = tuple(laws)
    predicted = {name: law.predict(next_size) for name, law in laws.items()}
    limits = dots[0][0] / 1.3, next_size * 1.5
    every: list[dict[str, Any]] = [
        {"size": size, "loss": loss, "name": name} for size, loss, name in [*dots, *filter(None, [landed])]
    ]
    seen = [row["loss"] for row in every] + [end for one in predicted.values() for end in (one.low, one.high)]
    curves = [
        {"size": float(size), "loss": found.loss(float(size)), "law": name}
        for name, found in laws.items()
        for size in np.geomspace(*limits, 50)
    ]
    # Two intervals at one size would cover each other, so each stands a little aside.
    next_ones = [
        {
            "size": next_size * (0.97 + 0.06 * i),
            "loss": one.value,
            "low": one.low,
            "high": one.high,
            "law": name,
            "what": f"{name}: {one.value:.3f}, between {one.low:.3f} and {one.high:.3f}",
        }
        for i, (name, one) in enumerate(predicted.items())
    ]

    def draw() -> Drawn:
        ink = categorical(mode)
        x = alt.X("size:Q", title=["parameters", f"({dots_title})"])
        x = x.scale(type="log", domain=hole("sizes"), nice=False)
        x = x.axis(format="~s", values=[m * 10**k for k in range(2, 9) for m in (1, 2, 5)], grid=False)
        y, low = (
            alt.Y(f"{field}:Q", title=y_title)
            .scale(type="log", domain=hole("losses"), nice=False)
            .axis(format=".2~f", tickCount=6)
            for field in ("loss", "low")
        )
        legend = strokes(names, labelLimit=400)
        color, dash = told_apart("law", names, mode, legend, colors=[1, 2, 3], dashes=[[7, 4], [1, 0], [2, 3]])
        curve, expected, first, last = (of(name).encode(x, y) for name in ("curves", "next", "measured", "landed"))
        said = tooltip(("what:N", "predicted"))
        tips = tooltip(("name:N", "model"), ("size:Q", "parameters", ",d"), ("loss:Q", y_title, ".3f"))
        return alt.layer(
            curve.mark_line(strokeWidth=2.2, clip=True).encode(color, dash),
            expected.mark_rule(strokeWidth=5, opacity=0.55).encode(low, alt.Y2("high"), color, tooltip=said),
            expected.mark_point(filled=True, size=90, opacity=1, shape="square").encode(color, tooltip=said),
            first.mark_point(filled=True, size=90, opacity=1, color=ink[0]).encode(tooltip=tips),
            first.mark_text(dy=-13, fontSize=11, color=ink[7]).encode(alt.Text("name:N")),
            last.mark_point(filled=True, size=260, opacity=1, shape="diamond", color=accent(mode)).encode(tooltip=tips),
        )

    data = {"curves": curves, "next": next_ones, "measured": every[: len(dots)], "landed": every[len(dots) :] or None}
    losses = y_limits or (min(seen) * 0.97, max(seen) * 1.03)
    return figure(draw, data, {"sizes": list(limits), "losses": list(losses)}, height=HEIGHT)
