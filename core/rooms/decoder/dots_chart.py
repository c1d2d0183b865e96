"""Dots on a line for each of some groups, with marked values across: what many throws of the dice gave."""

from collections.abc import Mapping, Sequence

from core.charts.figure import Drawn, Spec, alt, figure, hole, of, rim, tooltip
from core.charts.theme import Mode, accent, categorical

# Css pixels: the names of the marks stand above the groups, one below the other; the axis takes its room from HEIGHT.
HEIGHT, TOP, BETWEEN, LABEL = 300, 70, 46, 16


def starts(
    groups: Mapping[str, Sequence[float]],
    *,
    marks: Mapping[str, float],
    chosen: str,
    x_title: str = "untrained loss (nats per token)",
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: a line of dots for each group, the chosen one in full color, and marked values."""
    values = [v for one in groups.values() for v in one] + list(marks.values())
    low, high, names = min(values), max(values), tuple(groups)
    room = (high - low) * 0.06
    dots = [{"group": name, "value": v, "seed": seed} for name, some in groups.items() for seed, v in enumerate(some)]
    lines = [{"value": v, "label": f"{name} {v:.2f}"} for name, v in marks.items()]
    rights = tuple(v > (low + high) / 2 for v in marks.values())

    def draw() -> Drawn:
        ink = categorical(mode)
        x = alt.X("value:Q", title=x_title).scale(domain=hole("ends"), nice=False, zero=False)
        x = x.axis(tickCount=6, format=".2f", grid=False)
        y = alt.Y("group:O", title=None, sort=names)
        y = y.scale(domain=names, range=[TOP, TOP + BETWEEN * len(names)])
        y = y.axis(orient="left", labels=False, ticks=False, domain=False)
        is_chosen = alt.FieldEqualPredicate(field="group", equal=chosen)
        dot = of("dots").mark_point(filled=True, size=70)
        layers = [
            of("lines").mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=ink[7]).encode(x),
            dot.encode(
                x,
                y,
                color=alt.condition(is_chosen, alt.value(accent(mode)), alt.value(ink[0])),
                opacity=alt.condition(is_chosen, alt.value(0.85), alt.value(0.35)),
                tooltip=tooltip(("group:N", "start"), ("seed:Q",), ("value:Q", x_title, ".4f")),
            ),
        ]
        # Names of the groups above their dots, and of the marks above all: axis labels would take half of a phone.
        for look in (rim(mode), {}):
            text: Spec = {"fontSize": 12, "color": ink[7], **look}
            name = of("names").mark_text(align="left", dx=4, dy=-17, **text)
            layers.append(name.encode(alt.XValue(0), y, alt.Text("group:N")))
            for n, is_right in enumerate(rights):
                side = {"align": "right", "dx": -5} if is_right else {"align": "left", "dx": 5}
                label = of(f"line {n}").mark_text(fontWeight=600, **side, **text)
                layers.append(label.encode(x, alt.YValue(LABEL / 2 + LABEL * n), alt.Text("label:N")))
        return alt.layer(*layers)

    data = {"dots": dots, "lines": lines, "names": [{"group": name} for name in names]}
    data |= {f"line {n}": [line] for n, line in enumerate(lines)}
    return figure(draw, data, {"ends": [low - room, high + room]}, height=HEIGHT)
