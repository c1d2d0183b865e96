"""Several signed numbers for each part of a model, as bars side by side."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.figure import Drawn, Spec, alt, figure, row_height, told_apart, tooltip
from core.charts.theme import Mode


def effects(parts: Sequence[str], series: Mapping[str, Sequence[float]], *, x_title: str, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: for each part one lying bar of every series; nan is none.

    Raises ValueError if a series has not one value for each part.
    """
    for name, values in series.items():
        if len(values) != len(parts):
            raise ValueError(f"{name!r} has {len(values)} values, there are {len(parts)} parts")
    rows: list[dict[str, Any]] = [
        {"part": part, "name": name, "value": round(float(values[i]), 5)}
        for i, part in enumerate(parts)
        for name, values in series.items()
        if math.isfinite(values[i])
    ]
    order, names = tuple(parts), tuple(series)

    def draw() -> Drawn:
        x = alt.X("value:Q", title=x_title).axis(tickCount=6)
        y = alt.Y("part:N", title=None).scale(domain=order).axis(labelLimit=160)
        color, _ = told_apart("name", names, mode, alt.Legend(orient="top", columns=2))
        offset = alt.YOffset("name:N").scale(domain=names)
        tips = tooltip(("part:N",), ("name:N",), ("value:Q", x_title, ".2f"))
        return alt.layer(alt.Chart().mark_bar(cornerRadiusEnd=2).encode(x, y, offset, color, tooltip=tips))

    return figure(draw, {"rows": rows}, **row_height(len(order), 14 if len(names) < 3 else 11, len(names)))
