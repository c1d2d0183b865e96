"""The nearest tokens of one token as bars with their numbers."""

import math
from collections.abc import Sequence

from core.charts.figure import Drawn, Spec, alt, by_place, figure, hole, placed, row_height, tooltip
from core.charts.theme import Mode, categorical


def neighbor_bars(
    tokens: Sequence[str],
    values: Sequence[float],
    notes: Sequence[str],
    only_here: Sequence[bool],
    *,
    title: str,
    digits: int,
    limit: float | None = None,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: one bar for each neighbor, the nearest on top, its number and a note beside it.

    Args:
        only_here: a neighbor that the other list does not hold is drawn in another color and marked with a star.
        digits: after the point.
        limit: where the axis ends; None: at the largest value.

    Raises ValueError if the lengths differ.
    """
    if not len(tokens) == len(values) == len(notes) == len(only_here):
        raise ValueError(f"{len(tokens)} tokens do not match {len(values)} values, {len(notes)} notes")
    labels = [f"★ {token}" if alone else token for token, alone in zip(tokens, only_here, strict=True)]
    rows = [
        {
            "place": place,
            "token": token,
            "value": round(float(value), 6),
            "text": _number(value, digits) + (f" · {note}" if note else ""),
            "alone": alone,
        }
        for place, token, value, note, alone in zip(placed(labels), tokens, values, notes, only_here, strict=True)
    ]
    finite = [float(value) for value in values if math.isfinite(value)]
    top = limit if limit is not None else max([1e-9, *finite])
    low = min([0.0, *finite])
    room = 2 if any(notes) else 1.75  # for what stands beside a bar
    extent = min(130, 8 * max(map(len, tokens), default=0))  # the font may come late: nothing is cut

    def draw() -> Drawn:
        colors = categorical(mode)
        base = alt.Chart().encode(by_place(alt.Y, labelLimit=130, minExtent=extent))
        x = alt.X("value:Q", title=title).scale(domain=hole("domain"), nice=False)
        x = x.axis(values=hole("ticks"), format="~r", grid=False, titleAnchor="start")
        color = alt.condition("datum.alone", alt.value(colors[1]), alt.value(colors[0]))
        numbers = base.mark_text(align="left", dx=5, fontSize=12, color=colors[7])
        return alt.layer(
            base.mark_bar(cornerRadiusEnd=2).encode(x, color=color, tooltip=tooltip(("token:N",), ("value:Q",))),
            numbers.encode(alt.X("value:Q"), alt.Text("text:N")),
        )

    holes = {"domain": [low, top * room], "ticks": _ticks(top)}
    return figure(draw, {"rows": rows}, holes, **row_height(len(rows), 24))


def _number(value: float, digits: int) -> str:
    """The value; one above 0 never looks like 0."""
    least = 10.0**-digits
    return f"<{least:.{digits}f}" if 0 < value < least / 2 else f"{value:.{digits}f}".replace("-", "−")


def _ticks(top: float) -> list[float]:
    """Round numbers from zero to the top: two to five steps of 1, 2 or 5 times a power of ten."""
    unit = 10.0 ** math.floor(math.log10(top))
    step = next(s for s in (unit / 5, unit / 2, unit, 2 * unit, 5 * unit) if top / s < 5 + 1e-9)
    return [round(i * step, 12) for i in range(math.floor(top / step + 1e-9) + 1)]
