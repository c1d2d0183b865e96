"""A measure against a number that is doubled again and again: accuracy by labelled examples, error by colors."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.figure import Drawn, Spec, alt, by_pointer, figure, of, strokes, told_apart, tooltip
from core.charts.theme import Mode, categorical


def label_counts(
    curves: Mapping[str, Sequence[float]],
    sizes: Sequence[int],
    *,
    marked: int,
    chance: float | None = None,
    x_title: str,
    y_title: str,
    limits: tuple[float, float] = (0.4, 1.02),
    form: str = ".0%",
    log: bool = False,
    mode: Mode = "light",
    height: int = 280,
) -> Spec:
    """A Vega-Lite specification: one line for each name over a logarithmic axis, told apart by color, dash and dots.

    Args:
        sizes: rising, above 0; curves have a value for each.
        marked: the size where an upright line is drawn.
        chance: the value that guessing reaches, drawn as a dashed rule; None: there is none.
        limits, form: the ends of the upright axis, and how its numbers are printed.
        log: whether each doubling takes the same room there, too; then a value of 0 has no place and is left out.

    Raises ValueError if there are no sizes, or a curve has not as many values as there are sizes.
    """
    if not sizes:
        raise ValueError("there are no sizes to draw")
    for name, values in curves.items():
        if len(values) != len(sizes):
            raise ValueError(f"{name!r} has {len(values)} values for {len(sizes)} sizes")
    rows = [
        {"size": size, "share": round(float(value), 4), "name": name}
        for name, values in curves.items()
        for size, value in zip(sizes, values, strict=True)
        if value > 0 or not log
    ]
    names, ticks = tuple(curves), tuple(sizes)

    def draw() -> Drawn:
        kind: dict[str, Any] = {"type": "log"} if log else {"zero": False}
        levels = {"values": [m * 10**n for n in range(-2, 6) for m in (1, 2, 5)]} if log else {"tickCount": 6}
        x = alt.X("size:Q", title=x_title).scale(type="log", domain=[ticks[0] * 0.9, ticks[-1] * 1.45], nice=False)
        x = x.axis(values=ticks, format=",d", grid=False)
        y = alt.Y("share:Q", title=y_title).scale(domain=limits, nice=False, **kind).axis(format=form, **levels)
        color, dash = told_apart("name", names, mode, strokes(names, labelLimit=320))
        base = alt.Chart().encode(x, y, color)
        tips = tooltip(("name:N", "model"), ("size:Q", x_title, ",d"), ("share:Q", y_title, form.replace("0", "1")))
        rule = {"strokeDash": [4, 4], "color": categorical(mode)[7]}
        return alt.layer(
            of("chance").mark_rule(**rule).encode(y),
            of("marked").mark_rule(**rule).encode(x),
            base.mark_line(strokeWidth=2.5, clip=True).encode(dash),
            base.mark_point(filled=True, size=40, opacity=1, clip=True),
            by_pointer(base, tips, 160),
        )

    rules = {"marked": [{"size": marked}], "chance": None if chance is None else [{"share": chance}]}
    return figure(draw, {"rows": rows, **rules}, height=height + 40)
