"""Two distributions side by side: what the model expected, and what it expects after something was changed."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.charts.figure import Drawn, Spec, alt, by_name, by_place, figure, placed, row_height, tooltip
from core.charts.theme import Mode, categorical

N_BAR = 10
LEAST = 0.001  # less than a pixel of the bar


def before_after(
    tokens: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    *,
    mode: Mode = "light",
    names: tuple[str, str] = ("before", "after"),
    value_title: str = "probability",
) -> Spec:
    """A Vega-Lite specification: two bars for each token, a hollow one above a full one, in the order given.

    Doubles are fine. Raises ValueError if the lengths differ.
    """
    if not len(tokens) == len(before) == len(after):
        raise ValueError(f"{len(tokens)} tokens do not match {len(before)} and {len(after)} probabilities")
    rows = [
        {"place": place, "token": token, "when": name, "p": round(float(p), 6)}
        for name, values in zip(names, (before, after), strict=True)
        for place, token, p in zip(placed(tokens), tokens, values, strict=True)
    ]

    def draw() -> Drawn:
        ink, blue = categorical(mode)[7], categorical(mode)[0]
        # A legend shows full symbols unless it is told: the first kind of bar is hollow.
        hollow = alt.when(f"datum.value === {json.dumps(names[0])}")
        symbols = {
            "fillOpacity": hollow.then(alt.value(0)).otherwise(alt.value(1)),
            "stroke": hollow.then(alt.value(ink)).otherwise(alt.value(blue)),
        }
        x = alt.X("p:Q", title=value_title).axis(values=[0, 0.5, 1])
        fill = alt.Fill("when:N", sort=names).scale(domain=names, range=[ink, blue])
        base = alt.Chart().encode(by_place(alt.Y, labelLimit=140), alt.YOffset("when:N", sort=names))
        numbers = base.mark_text(align="left", dx=4, fontSize=11, color=ink)
        return alt.layer(
            base.mark_bar(cornerRadiusEnd=2, strokeWidth=1.5).encode(
                x.scale(domain=[0, 1.12]),  # leaves room for the number at a full bar
                fill.legend(orient="top", title=None, encoding={"symbols": symbols}),
                by_name(alt.StrokeValue, "when", {names[0]: ink, names[1]: blue}),
                by_name(alt.FillOpacityValue, "when", {names[0]: 0, names[1]: 1}),
                tooltip=tooltip(("token:N",), ("when:N",), ("p:N",)),
            ),
            numbers.encode(alt.X("p:Q"), alt.Text("p:Q", format=".3f")),
        )

    return figure(draw, {"rows": rows}, **row_height(len(tokens), 13, 2))


def ranking(
    labels: Sequence[str],
    values: Sequence[float],
    *,
    mode: Mode = "light",
    value_title: str,
    marked: Sequence[bool] = (),
    **axis: Any,
) -> Spec:
    """A Vega-Lite specification: one signed bar for each label, in the order given.

    marked: True for bars to stand out; axis: properties of the axis of labels, such as labelLimit.

    Raises ValueError if the lengths differ.
    """
    if len(labels) != len(values):
        raise ValueError(f"{len(labels)} labels do not match {len(values)} values")
    flags = list(marked) or [False] * len(labels)
    rows = [
        {"label": label, "value": round(float(v), 6), "marked": m}
        for label, v, m in zip(labels, values, flags, strict=True)
    ]
    look = tuple(axis.items())

    def draw() -> Drawn:
        colors = categorical(mode)
        color = alt.condition("datum.marked", alt.value(colors[1]), alt.value(colors[0]))
        x = alt.X("value:Q", title=value_title).axis(tickCount=6)
        y = alt.Y("label:N", sort=None, title=None)
        y = y.axis(**{"labelOverlap": False, "labelFlush": False, "labelLimit": 260, **dict(look)})
        tips = tooltip(("label:N",), ("value:Q",))
        return alt.layer(alt.Chart().mark_bar(cornerRadiusEnd=2).encode(x, y, color=color, tooltip=tips))

    return figure(draw, {"rows": rows}, **row_height(len(set(labels)), 18))


def top_of_either(before: NDArray[np.floating], after: NDArray[np.floating], n: int = N_BAR) -> list[int]:
    """Ids of the tokens that are likely in one of two distributions at least, the likeliest before first."""
    either = np.maximum(before, after)
    top = [i for i in np.argsort(-either, kind="stable")[:n] if either[i] >= LEAST] or [int(either.argmax())]
    return [int(i) for i in sorted(top, key=lambda i: -before[i])]
