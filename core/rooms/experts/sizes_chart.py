"""From the parameters that a token meets to all that are kept: a line for each model, over powers of ten."""

from collections.abc import Mapping

from core.charts.decades import power_labels
from core.charts.figure import Drawn, Spec, alt, figure, hole, row_height, tooltip
from core.charts.theme import Mode, categorical


def met_and_kept(models: Mapping[str, tuple[float | None, float, str]], *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: a full dot where a token's parameters are, a ring where all are, a line between.

    models: name -> (met by a token, None where it may not be shown yet; kept in all; both in words); each once.
    """
    rows = [{"model": name, "met": met, "kept": kept, "told": told} for name, (met, kept, told) in models.items()]
    names, has_dots = tuple(models), any(met is not None for met, _, _ in models.values())

    def draw() -> Drawn:
        ink, first = categorical(mode)[7], categorical(mode)[0]
        y = alt.Y("model:N", title=None, sort=list(names)).axis(labelLimit=150, ticks=False, domain=False)
        title = "● used by one token (active), ○ all parameters" if has_dots else "○ all parameters"
        x = {"title": title, "axis": alt.Axis(
            values=hole("powers"), labelExpr=hole("labels"), grid=True, titleLimit=420)}  # fmt: skip
        met = alt.X("met:Q", **x).scale(type="log", domain=hole("ends"), nice=False)
        kept = alt.X("kept:Q").scale(type="log", domain=hole("ends"), nice=False)
        tips = tooltip(("model:N",), ("told:N", "used, of all" if has_dots else "all"))
        base = alt.Chart().encode(y)
        return alt.layer(
            base.mark_rule(strokeWidth=3, color=ink, opacity=0.5).encode(met, alt.X2("kept:Q")),
            base.mark_point(filled=True, size=150, opacity=1, color=first).encode(met, tooltip=tips),
            base.mark_point(filled=False, size=190, opacity=1, strokeWidth=2.5, color=ink).encode(kept, tooltip=tips),
            # Above its line, at the edge: beside the ring a phone has no room.
            base.mark_text(align="right", dy=-14, fontSize=12, color=ink).encode(
                alt.XValue("width"), alt.Text("told:N")
            ),
        )

    powers = list(range(4, 15))
    low = min(met or kept for met, kept, _ in models.values()) / 3
    high = max(kept for _, kept, _ in models.values()) * 3
    return figure(
        draw,
        {"rows": rows},
        {
            "powers": [10.0**n for n in powers if low < 10.0**n <= 1e12],
            "labels": power_labels(powers),
            "ends": [low, high],
        },
        **row_height(len(rows), 42),
    )
