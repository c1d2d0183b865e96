"""Heads ranked by a score: bars, with the threshold that gives a name and what no preference at all would score."""

from collections.abc import Sequence

from core.charts.figure import Drawn, Spec, alt, figure, of, row_height, tooltip
from core.charts.theme import Mode, accent, categorical


def scores(
    labels: Sequence[str],
    values: Sequence[float],
    *,
    threshold: float,
    chance: float | None = None,
    mode: Mode = "light",
    value_title: str,
) -> Spec:
    """A Vega-Lite specification: one bar for each label, in the order given, on a fixed axis from 0 to 1.

    Args:
        threshold: drawn as a line; bars that reach it are filled.
        chance: drawn as a dashed line; None or nan: no line.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(labels) != len(values):
        raise ValueError(f"{len(labels)} labels do not match {len(values)} values")
    rows = [
        {"head": label, "score": round(float(value), 4), "reaches": bool(value >= threshold)}
        for label, value in zip(labels, values, strict=True)
    ]

    def draw() -> Drawn:
        colors = categorical(mode)
        x = alt.X("score:Q", title=value_title).scale(domain=[0, 1])
        x = x.axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2f")
        fill = alt.condition("datum.reaches", alt.value(colors[0]), alt.value("transparent"))
        base = alt.Chart().encode(alt.Y("head:N", sort=None, title=None).axis(labelOverlap=False, labelFlush=False))
        bars = base.mark_bar(cornerRadiusEnd=2, stroke=colors[0], strokeWidth=1)
        numbers = base.mark_text(align="left", dx=4, fontSize=11, color=colors[7])
        layers = [
            bars.encode(x, color=fill, tooltip=tooltip(("head:N",), ("score:N",))),
            numbers.encode(alt.X("score:Q"), alt.Text("score:Q", format=".2f")),
        ]
        for name, color, dash in (("threshold", accent(mode), []), ("chance", colors[7], [4, 3])):
            line = of(name).encode(alt.X("at:Q"))
            label = line.mark_text(y=-8, fontSize=11, color=color).encode(alt.Text("label:N"))
            layers += [line.mark_rule(color=color, strokeDash=dash), label]
        return alt.layer(*layers)

    lines = {"threshold": [{"at": round(threshold, 4), "label": "named from here"}]}
    if chance is not None and chance == chance:
        lines["chance"] = [{"at": round(chance, 4), "label": "all alike"}]
    padding = {"top": 18, "left": 5, "right": 5, "bottom": 5}
    return figure(draw, {"rows": rows, **lines}, padding=padding, **row_height(len(rows), 15))
