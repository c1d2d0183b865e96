"""Losses over sizes, a curve for each budget, and the line through their lowest points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.charts.figure import Drawn, Spec, alt, figure, hole, of, strokes, told_apart, tooltip
from core.charts.theme import Mode, accent, categorical
from core.rooms.sizes.compute.isoflop import BUDGETS, NEXT, Best, rough
from core.rooms.sizes.compute.power_law import Law, Prediction

HEIGHT = 400
SIZES, LOSSES = (2_500, 520_000), (1.15, 2.5)


def isoflop(
    dots: Sequence[tuple[float, int, float, str]],
    parabolas: Mapping[float, Law],
    best: Sequence[Best],
    predicted: tuple[Prediction, Prediction] | None,
    *,
    y_title: str,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification; axes stay as they are while runs come in.

    Args:
        dots: budget, parameters, loss and name of each run.
        parabolas: by budget; best: their lowest points.
        predicted: best size and loss of the next budget.
    """
    names = {budget: f"{budget / 1e9:.0f} billion" for budget in (*BUDGETS, NEXT)}
    rows: list[dict[str, Any]] = [
        {"size": size, "loss": loss, "budget": names[budget], "name": name} for budget, size, loss, name in dots
    ]
    curves = [
        {"size": float(size), "loss": law.loss(float(size)), "budget": names[budget]}
        for budget, law in parabolas.items()
        for size in np.geomspace((law.lowest or 1) / 3.2, (law.lowest or 1) * 3.2, 40)
    ]
    lowest = [
        {"size": one.size, "loss": one.loss, "what": f"best of {names[one.budget]}: {rough(one.size)}"} for one in best
    ]
    expected = None
    if predicted is not None:
        size, loss = predicted
        expected = [
            {
                "size": size.value,
                "low": size.low,
                "high": size.high,
                "loss": loss.value,
                "what": f"predicted for {names[NEXT]}: {rough(size.value)} ({rough(size.low)} to {rough(size.high)})",
            }
        ]
    way: list[dict[str, Any]] = [{"size": one.size, "loss": one.loss} for one in best if one.budget != NEXT]
    way += [{"size": one["size"], "loss": one["loss"]} for one in expected or []]
    labels = tuple(names.values())

    def draw() -> Drawn:
        ink = categorical(mode)
        x = alt.X("size:Q", title="parameters")
        x = x.scale(type="log", domain=hole("sizes"), nice=False)
        x = x.axis(format="~s", values=[m * 10**k for k in range(3, 6) for m in (1, 2, 5)], grid=False)
        y = alt.Y("loss:Q", title=y_title).scale(type="log", domain=hole("losses"), nice=False)
        y = y.axis(format=".2~f", tickCount=6)
        color, dash = told_apart("budget", labels, mode, strokes(labels, labelLimit=300))
        curve, measured = (of(name).encode(x, y, color) for name in ("curves", "rows"))
        tips = tooltip(
            ("budget:N", "budget"), ("name:N", "width"), ("size:Q", "parameters", ",d"), ("loss:Q", y_title, ".3f")
        )
        said = tooltip(("what:N", "size"))
        low = alt.X("low:Q").scale(type="log", domain=hole("sizes"), nice=False)
        return alt.layer(
            of("way").mark_line(strokeDash=[2, 4], strokeWidth=1.5, color=ink[7]).encode(x, y),
            curve.mark_line(strokeWidth=1.8, clip=True).encode(dash),
            measured.mark_point(filled=True, size=46, opacity=1, clip=True).encode(tooltip=tips),
            of("expected").mark_rule(strokeWidth=4, opacity=0.5, color=accent(mode)).encode(
                low, y, alt.X2("high"), tooltip=said
            ),
            of("expected").mark_point(size=140, opacity=1, shape="square", color=accent(mode)).encode(
                x, y, tooltip=said
            ),
            of("lowest").mark_point(filled=True, size=130, opacity=1, shape="diamond", color=accent(mode)).encode(
                x, y, tooltip=said
            ),
        )  # fmt: skip

    data = {"rows": rows, "curves": curves or None, "lowest": lowest or None, "expected": expected, "way": way or None}
    return figure(draw, data, {"sizes": list(SIZES), "losses": list(LOSSES)}, height=HEIGHT)
