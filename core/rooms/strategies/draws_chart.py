"""What was drawn against what should be: bars of probabilities, dots of frequencies with their intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.figure import Drawn, Spec, alt, by_name, by_place, figure, placed, row_height, told_apart, tooltip
from core.charts.theme import Mode, categorical

SHAPES = ("circle", "square", "triangle-up", "diamond")
# (true, drawn, low, high) of each token
Measured = Sequence[tuple[float, float, float, float]]


def draws(tokens: Sequence[str], series: Mapping[str, Measured], *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: for each token one bar a strategy, and on it the dot of what was drawn.

    Args:
        tokens: labels, top to bottom; doubles are fine.
        series: at most four strategies, name -> one (true, drawn, low, high) for each token.
    """
    rows: list[dict[str, Any]] = [
        {
            "place": place,
            "token": token,
            "series": name,
            "true": round(true, 6),
            "drawn": round(drawn, 6),
            "low": round(low, 6),
            "high": round(high, 6),
        }
        for name, values in series.items()
        for place, token, (true, drawn, low, high) in zip(placed(tokens), tokens, values, strict=True)
    ]
    names = tuple(series)

    def draw() -> Drawn:
        ink = categorical(mode)[7]
        legend = alt.Legend(orient="top", columns=4, labelLimit=220, symbolType="square")
        color, _ = told_apart("series", names, mode, legend if len(names) > 1 else None)
        shape = by_name(alt.ShapeValue, "series", dict(zip(names, SHAPES, strict=False)))
        true, drawn, low = (
            alt.X(f"{field}:Q", title="probability, and share of the draws") for field in ("true", "drawn", "low")
        )
        tips = tooltip(
            ("token:N",),
            ("series:N", "strategy"),
            ("true:Q", "probability", ".4f"),
            ("drawn:Q", "share drawn", ".4f"),
            ("low:Q", "95 % from", ".4f"),
            ("high:Q", "95 % to", ".4f"),
        )
        offset = alt.YOffset("series:N", sort=None).scale(domain=names)
        base = alt.Chart().encode(by_place(alt.Y, labelLimit=120), offset)
        dots = base.mark_point(filled=True, size=26, color=ink, opacity=1)
        return alt.layer(
            base.mark_bar(opacity=0.55, cornerRadiusEnd=2).encode(true, color, tooltip=tips),
            base.mark_rule(strokeWidth=1.5, color=ink).encode(low, alt.X2("high")),
            dots.encode(drawn, shape, tooltip=tips),
        )

    height = row_height(len(tokens), 18 if len(names) == 1 else 8, len(names))
    return figure(draw, {"rows": rows}, **height)
