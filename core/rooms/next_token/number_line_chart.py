"""How a uniform number picks a token: all tokens side by side, each as wide as it is likely."""

from collections.abc import Sequence

from core.charts.figure import Drawn, Spec, alt, figure, of, tooltip
from core.charts.theme import Mode, accent, categorical, sequential

# Pixels from the top: the bar, the names under it, the number above it.
_BAR, _NAMES, _NUMBER, _HEIGHT = (34, 66), 80, 16, 150  # the height includes the axis


def number_line(
    tokens: Sequence[str],
    low: Sequence[float],
    high: Sequence[float],
    draw: float | None,
    hit: int,
    *,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: the interval of each token between 0 and 1, and where the number fell.

    Args:
        tokens: labels, in the order in which they lie.
        low, high: ends of the tokens' intervals.
        draw: the uniform number; None where nothing was drawn.
        hit: place of the token that was taken.

    Raises:
        ValueError: if the lengths differ.
    """
    if not len(tokens) == len(low) == len(high):
        raise ValueError(f"{len(tokens)} tokens do not match {len(low)} and {len(high)} ends")
    colors = sequential(mode)
    fills = [accent(mode) if i == hit else colors[3] if i % 2 else colors[2] for i in range(len(tokens))]
    rows = [
        {"token": token, "low": float(a), "high": float(b), "middle": (float(a) + float(b)) / 2, "fill": fill}
        for token, a, b, fill in zip(tokens, low, high, fills, strict=True)
    ]
    is_right = draw is not None and draw > 0.9

    def picture() -> Drawn:
        ink = categorical(mode)[7]
        low, middle, at = (
            alt.X(f"{field}:Q", title="uniform number").scale(domain=[0, 1], nice=False)
            for field in ("low", "middle", "u")
        )
        names = alt.Chart().transform_filter("datum.high - datum.low > 0.06")
        names = names.mark_text(color=ink, font="JetBrains Mono, monospace", fontSize=12, limit=90)
        look = {"align": "right", "dx": 4} if is_right else {"align": "left", "dx": -4}
        number = of("drawn").mark_text(fontSize=12, fontWeight=600, color=ink, **look)
        rule = of("drawn").mark_rule(strokeWidth=2, color=ink)
        return alt.layer(
            alt.Chart()
            .mark_rect(stroke=sequential(mode)[0], strokeWidth=0.5)
            .encode(
                low,
                alt.X2("high"),
                alt.YValue(_BAR[0]),
                alt.Y2Value(_BAR[1]),
                alt.Color("fill:N", scale=None),
                tooltip=tooltip(("token:N",), ("low:Q", "from", ".4f"), ("high:Q", "to", ".4f")),
            ),
            names.encode(middle, alt.YValue(_NAMES), alt.Text("token:N")),
            rule.encode(at, alt.YValue(_NUMBER + 8), alt.Y2Value(_BAR[1] + 4)),
            number.encode(at, alt.YValue(_NUMBER), alt.Text("label:N")),
        )

    drawn = None if draw is None else [{"u": float(draw), "label": f"drawn: {draw:.4f}"}]
    return figure(picture, {"rows": rows, "drawn": drawn}, height=_HEIGHT)
