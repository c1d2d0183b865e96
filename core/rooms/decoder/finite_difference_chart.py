"""The error of a finite difference against the step h, both on logarithmic scales."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.charts.decades import power_labels, size_text
from core.charts.figure import Drawn, Spec, alt, by_pointer, figure, hole, of, tooltip
from core.charts.theme import Mode, accent, categorical

LEAST = 1e-17  # an error of exactly 0 has no place on a logarithmic scale


def check(steps: NDArray[Any], errors: NDArray[Any], *, mode: Mode = "light", height: int = 260) -> Spec:
    """A Vega-Lite specification: a point for each h above 0, the smallest error marked; no error is drawn as 1e-17."""
    drawn = np.maximum(errors, LEAST)
    rows = [
        {"h": float(h), "error": float(y), "step": size_text(float(h)), "told": size_text(float(error))}
        for h, y, error in zip(steps, drawn, errors, strict=True)
    ]
    limits = [float(drawn.min()) / 50, float(drawn.max()) * 2]  # room for the two names below the curve

    def draw() -> Drawn:
        color = categorical(mode)[0]
        look = {"labelExpr": power_labels(range(-20, 3)), "tickCount": 6}
        x = alt.X("h:Q", title="h, how far the weight is moved").scale(type="log").axis(**look)
        y = alt.Y("error:Q", title="difference of the two gradients").scale(type="log", domain=hole("limits"))
        base, best = (one.encode(x, y.axis(**look)) for one in (alt.Chart(), of("best")))
        # What makes a side of the curve, in the free corner below it.
        names = {"fontSize": 12, "color": categorical(mode)[7], "baseline": "bottom"}
        names["y"] = alt.ExprRef("height - 6")
        return alt.layer(
            base.mark_line(strokeWidth=2, color=color),
            base.mark_point(filled=True, size=50, opacity=1, color=color),
            best.mark_point(size=190, strokeWidth=2.5, color=accent(mode)),
            of("nothing").mark_text(align="left", text="rounding, like 1/h", x=6, **names),
            of("nothing").mark_text(align="right", text="truncation, like h²", x=alt.ExprRef("width - 6"), **names),
            by_pointer(base, tooltip(("step:N", "h"), ("told:N", "difference")), 160),
        )

    data = {"rows": rows, "best": [rows[int(drawn.argmin())]], "nothing": [{"x": 0}]}
    return figure(draw, data, {"limits": limits}, height=height)
