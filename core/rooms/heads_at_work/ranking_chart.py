"""Names with one signed number each, as bars in their order."""

from collections.abc import Sequence
from typing import Any

from core.charts.figure import Drawn, Spec, alt, figure, row_height, tooltip
from core.charts.theme import Mode, categorical


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
