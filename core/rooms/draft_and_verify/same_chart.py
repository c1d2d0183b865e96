"""Texts, how likely each is where the model writes alone, and how likely with a draft: exactly, and drawn."""

from collections.abc import Sequence
from typing import Any

from core.charts.figure import Drawn, Spec, alt, by_place, figure, placed, row_height, tooltip
from core.charts.theme import Mode, categorical


def same_chart(
    texts: Sequence[str],
    alone: Sequence[float],
    drafted: Sequence[float] | None,
    drawn: Sequence[tuple[float, float, float]] | None,
    *,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: a bar for the model alone, a thick stroke with a draft, a dot with its interval drawn.

    Args:
        texts: labels, top to bottom.
        alone, drafted: a probability for each; None: not to be seen yet.
        drawn: (share, low, high) of each.
    """
    rows: list[dict[str, Any]] = [
        {"place": place, "text": text, "alone": round(p, 6)}
        for place, text, p in zip(placed(texts), texts, alone, strict=True)
    ]
    is_told = drafted is not None and drawn is not None
    if drafted is not None and drawn is not None:
        for row, p, (share, low, high) in zip(rows, drafted, drawn, strict=True):
            row.update(drafted=round(p, 6), drawn=round(share, 6), low=round(low, 6), high=round(high, 6))

    def draw() -> Drawn:
        inks = categorical(mode)
        title = "probability of the text"
        base = alt.Chart().encode(by_place(alt.Y, labelLimit=200))
        tips = [("text:N",), ("alone:Q", "the model alone", ".4f")]
        if is_told:
            tips += [("drafted:Q", "with the draft", ".4f"), ("drawn:Q", "drawn", ".4f")]
        bars = base.mark_bar(opacity=0.45, cornerRadiusEnd=2, color=inks[0])
        x = alt.X("alone:Q", title=title).axis(tickCount=5)
        layers = [bars.encode(x, tooltip=tooltip(*tips))]
        if is_told:
            stroke = base.mark_tick(thickness=4, bandSize=18, color=inks[1], opacity=1)
            layers += [
                stroke.encode(alt.X("drafted:Q", title=title), tooltip=tooltip(*tips)),
                base.mark_rule(strokeWidth=1.5, color=inks[7]).encode(alt.X("low:Q", title=title), alt.X2("high")),
                base.mark_point(filled=True, size=28, color=inks[7], opacity=1).encode(alt.X("drawn:Q", title=title)),
            ]
        return alt.layer(*layers)

    return figure(draw, {"rows": rows}, **row_height(len(texts), 30))
