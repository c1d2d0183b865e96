"""Bars in groups: the same few measured at several things, with the most that could be had."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.figure import Drawn, Spec, alt, figure, of, row_height, told_apart, tooltip
from core.charts.theme import Mode, categorical

LONGEST = 1.3  # the end of the axis: behind a full bar there is room for the column of numbers, on a phone too


def grouped(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    marks: Sequence[float] | None = None,
    *,
    x_title: str,
    mark_title: str = "",
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: for each group one lying bar of every series, and its number at the right end.

    Args:
        groups: what is measured, top to bottom; each once.
        series: name -> a value from 0 to 1 for each group; the name stands beside every bar, so no color is needed.
        marks: a value for each group, drawn as an upright stroke through its bars; mark_title: what they mean.

    Raises ValueError if a series has not one value for each group.
    """
    for name, values in {**series, "marks": groups if marks is None else marks}.items():
        if len(values) != len(groups):
            raise ValueError(f"{name!r} has {len(values)} values, there are {len(groups)} groups")
    heads = [f"{i} " for i in range(len(groups))]
    order = tuple(row for head in heads for row in (head, *(head + name for name in series)))
    rows: list[dict[str, Any]] = [
        {"row": heads[i] + name, "group": group, "name": name, "value": round(float(values[i]), 5)}
        | {"text": f"{float(values[i]):.0%}"}
        | ({} if marks is None else {"mark": round(float(marks[i]), 5)})
        for i, group in enumerate(groups)
        for name, values in series.items()
    ]
    titles = [{"row": head, "title": group} for head, group in zip(heads, groups, strict=True)]
    names, is_marked = tuple(series), marks is not None

    def draw() -> Drawn:
        ink = categorical(mode)[7]
        x = alt.X("value:Q", title=x_title).scale(domain=[0, LONGEST], nice=False)
        x = x.axis(values=[0, 0.25, 0.5, 0.75, 1], format=".0%")
        # The group's name stands in a row of its own above its bars; the labels at the side are those of the series.
        y = alt.Y("row:N", title=None).scale(domain=order, paddingInner=0.25)
        y = y.axis(labelExpr="substring(datum.label, 2)", labelLimit=170, ticks=False, domain=False)
        color, _ = told_apart("name", names, mode, None)
        base, titles = alt.Chart().encode(y), of("titles").encode(y)
        tips = tooltip(("group:N", "asked"), ("name:N", "who"), ("value:Q", x_title, ".3f"))
        stroke = base.mark_tick(thickness=2, color=ink, bandSize=24)
        return alt.layer(
            base.mark_bar(cornerRadiusEnd=2).encode(x, color, tooltip=tips),
            # The numbers stand in a column of their own: beside its bar one could lie on the stroke, and in a short
            # bar there is no room for it.
            base.mark_text(align="right", fontSize=12, color=ink).encode(alt.XValue("width"), alt.Text("text:N")),
            titles.mark_text(align="left", fontSize=13, fontWeight=600, color=ink).encode(
                alt.XDatum(0), alt.Text("title:N")
            ),
            *([stroke.encode(alt.X("mark:Q"), tooltip=tooltip(("mark:Q", mark_title, ".3f")))] if is_marked else []),
        )

    return figure(draw, {"rows": rows, "titles": titles}, **row_height(len(order), 22))
