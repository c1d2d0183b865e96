"""The probabilities of a few answers as bars, with strokes where they stood before something was changed."""

from collections.abc import Sequence

from core.charts.figure import Drawn, Spec, alt, figure, hole, row_height, tooltip
from core.charts.theme import Mode, accent, categorical


def answers(
    names: Sequence[str],
    now: Sequence[float],
    before: Sequence[float] | None = None,
    *,
    right: int | None = None,
    before_title: str = "before",
    row: int = 18,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: one lying bar for each answer, in the order given, with its number.

    Args:
        names: of the answers; each once.
        now: their probabilities.
        before: others, drawn as upright strokes.
        right: the place of the right answer, marked with a tick and another color.
        before_title: what the strokes are.
        row: the height of a row, in css pixels.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(now) != len(names) or (before is not None and len(before) != len(names)):
        raise ValueError(f"{len(names)} names do not match {len(now)} and {len(before or now)} probabilities")
    shown = [f"{name} ✓" if i == right else name for i, name in enumerate(names)]
    rows: list[Spec] = [
        {"answer": name, "now": round(float(now[i]), 5), "text": in_percent(float(now[i])), "is_right": i == right}
        | ({} if before is None else {"before": round(float(before[i]), 5)})
        for i, name in enumerate(shown)
    ]
    has_before = before is not None

    def draw() -> Drawn:
        ink = categorical(mode)[7]
        now, then = (
            alt.X(f"{field}:Q", title="probability")
            .scale(domain=[0, 1.15], nice=False)  # room for the number beside a full bar
            .axis(None)  # each bar has its number
            for field in ("now", "before")
        )
        color = alt.condition("datum.is_right", alt.value(accent(mode)), alt.value(categorical(mode)[0]))
        read = ("answer:N", "answer"), ("now:Q", "probability", ".4f"), ("before:Q", before_title, ".4f")
        tips = tooltip(*read[: 2 + has_before])
        base = alt.Chart().encode(
            alt.Y("answer:N", sort=hole("names"), title=None).axis(ticks=False, labelOverlap=False), tooltip=tips
        )
        stroke = base.mark_tick(orient="vertical", thickness=2.5, color=ink).encode(then)
        return alt.layer(
            base.mark_bar(cornerRadiusEnd=2, height={"band": 0.72}).encode(now, color=color),
            base.mark_text(align="left", dx=5, color=ink).encode(now, alt.Text("text:N")),
            *([stroke] if has_before else []),
        )

    return figure(draw, {"rows": rows}, {"names": shown}, **row_height(len(names), row))


def in_percent(p: float) -> str:
    """A probability with one decimal; what is not quite 100% does not say so."""
    return "> 99.9%" if 0.9995 <= p < 1 else f"{p:.1%}"
