"""Perplexity or bits by order: what is infinite has no place on an axis, and stands at the top with its name."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from core.charts.figure import Drawn, Spec, alt, by_pointer, figure, hole, strokes, told_apart, tooltip
from core.charts.theme import Mode, categorical

INFINITE = "infinite"
_SHAPES = ("circle", "square", "triangle-up", "diamond")
Values = Sequence[float] | NDArray[Any]  # of the orders 1, 2, ...


def large(value: float) -> str:
    """A perplexity: 5.284, 123.4, 12,345."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def by_order(curves: Mapping[str, Values], *, y_title: str, mode: Mode = "light", height: int = 260) -> Spec:
    """A Vega-Lite specification with a logarithmic upright axis; no line leads to a value that is infinite.

    Args:
        curves: the values of the orders 1, 2, ... by name, all above 0; some may be infinite.
        y_title: what the values are, with their unit.
    """
    names, n_order = tuple(curves), max(map(len, curves.values()))
    rows: list[dict[str, Any]] = [
        {
            "order": n,
            "value": float(value),
            "name": name,
            "infinite": math.isinf(float(value)),
            "shape": _SHAPES[i % len(_SHAPES)],
        }
        for i, (name, values) in enumerate(curves.items())
        for n, value in enumerate(values, 1)
    ]
    finite = [row["value"] for row in rows if not row["infinite"]]
    low, high = (min(finite) * 0.85, max(finite)) if finite else (1.0, 10.0)
    has_infinite = len(finite) < len(rows)
    top = high * (high / low) ** (0.28 if has_infinite else 0.06)  # room for the word above the highest value
    for row in rows:
        row["told"] = INFINITE if row["infinite"] else large(row["value"])
        if row["infinite"]:
            row["value"] = top
    digits = (1, 2, 5) if high / low > 6 else (1, 1.2, 1.5, 2, 3, 5, 7)
    ticks = [d * 10**power for power in range(-2, 7) for d in digits]

    def draw() -> Drawn:
        x = alt.X("order:Q", title="order: tokens in an n-gram").scale(domain=[0.8, n_order + 0.2], nice=False)
        x = x.axis(values=list(range(1, n_order + 1)), format="d", grid=False)
        y = alt.Y("value:Q", title=y_title).scale(type="log", domain=hole("ends"), nice=False)
        y = y.axis(values=hole("ticks"), format="~g")
        color, dash = told_apart("name", names, mode, strokes(names, labelLimit=260))
        base = alt.Chart().encode(x, y, color)
        finite, infinite = (base.transform_filter(test) for test in ("!datum.infinite", "datum.infinite"))
        # Crosses on the upper edge, and the word once above all crosses of an order.
        crosses = infinite.mark_point(filled=True, opacity=1, shape="cross", angle=45, size=130)
        word = alt.Chart().mark_text(text=INFINITE, dy=15, fontSize=12, color=categorical(mode)[7]).encode(x, y)
        word = word.transform_filter("datum.infinite").transform_aggregate(value="max(value)", groupby=["order"])
        tips = tooltip(("name:N", "curve"), ("order:Q", "", "d"), ("told:N", y_title))
        return alt.layer(
            finite.mark_line(strokeWidth=2.4).encode(dash),
            finite.mark_point(filled=True, opacity=1, size=60).encode(alt.Shape("shape:N", scale=None)),
            *([crosses, word] if has_infinite else []),
            by_pointer(base, tips, 160),
        )

    holes = {"ends": [low, top], "ticks": [tick for tick in ticks if low <= tick <= high * 1.02]}
    return figure(draw, {"rows": rows}, holes, height=height)


def told_share(value: float) -> str:
    """A share as percent: 10.9%, and below 0.1% that it is below."""
    return "<0.1%" if 0 < value < 0.001 else f"{value:.1%}"


def shares(values: Values, *, y_title: str, mode: Mode = "light", height: int = 260) -> Spec:
    """A bar for each order, each with its share printed on it.

    Args:
        values: shares of the orders 1, 2, ..., within 0..1; nan is left out.
    """
    rows: list[dict[str, Any]] = [
        {"order": n, "share": float(value), "told": told_share(float(value))}
        for n, value in enumerate(values, 1)
        if not math.isnan(float(value))
    ]
    highest = max([row["share"] for row in rows], default=0.0)
    top = min(1.12, highest * 1.15 + 0.02)
    form = ".0%" if top > 0.05 else ".1%"

    def draw() -> Drawn:
        y = alt.Y("share:Q", title=y_title).scale(domain=hole("ends"), nice=False).axis(format=form, tickCount=5)
        base = alt.Chart().encode(alt.X("order:O", title="order: tokens in an n-gram").axis(labelAngle=0), y)
        bars = base.mark_bar(color=categorical(mode)[2], width={"band": 0.6})
        return alt.layer(
            bars.encode(tooltip=tooltip(("order:N",), ("told:N", "never seen"))),
            base.mark_text(dy=-9, fontSize=12, color=categorical(mode)[7]).encode(alt.Text("told:N")),
        )

    return figure(draw, {"rows": rows}, {"ends": [0, top]}, height=height)
