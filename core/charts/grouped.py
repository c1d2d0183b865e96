"""Bars in groups: the same few measured at several things, with the most that could be had."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import SCHEMA, Spec, row_height, table
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
        marks: a value for each group, drawn as an upright stroke through its bars.
        x_title: what the values are.
        mark_title: what the strokes mean.

    Raises:
        ValueError: if a series has not one value for each group.
    """
    for name, values in {**series, "marks": groups if marks is None else marks}.items():
        if len(values) != len(groups):
            raise ValueError(f"{name!r} has {len(values)} values, there are {len(groups)} groups")
    names, colors = list(series), categorical(mode)
    heads = [f"{i} " for i in range(len(groups))]
    order = [row for head in heads for row in (head, *(head + name for name in names))]
    rows: list[dict[str, Any]] = [
        {"row": heads[i] + name, "group": group, "name": name, "value": round(float(values[i]), 5)}
        | {"text": f"{float(values[i]):.0%}"}
        | ({} if marks is None else {"mark": round(float(marks[i]), 5)})
        for i, group in enumerate(groups)
        for name, values in series.items()
    ]
    x: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": x_title,
        "scale": {"domain": [0, LONGEST], "nice": False},
        "axis": {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".0%"},
    }
    # The group's name stands in a row of its own above its bars; the labels at the side are the names of the series.
    y: Spec = {
        "field": "row",
        "type": "nominal",
        "title": None,
        "scale": {"domain": order, "paddingInner": 0.25},
        "axis": {"labelExpr": "substring(datum.label, 2)", "labelLimit": 170, "ticks": False, "domain": False},
    }
    color = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": names, "range": [colors[i % len(colors)] for i in range(len(names))]},
        "legend": None,
    }
    tooltip = [
        {"field": "group", "type": "nominal", "title": "asked"},
        {"field": "name", "type": "nominal", "title": "who"},
        {"field": "value", "type": "quantitative", "title": x_title, "format": ".3f"},
    ]
    titles = [{"row": head, "title": group, "zero": 0} for head, group in zip(heads, groups, strict=True)]
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2},
            "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip},
        },
        # The numbers stand in a column of their own: beside its bar one could lie on the stroke, and in a short bar
        # there is no room for it.
        {
            "mark": {"type": "text", "align": "right", "fontSize": 12, "color": colors[7]},
            "encoding": {"x": {"value": "width"}, "y": y, "text": {"field": "text"}},
        },
        {
            "data": {"values": titles},
            "mark": {"type": "text", "align": "left", "fontSize": 13, "fontWeight": 600, "color": colors[7]},
            "encoding": {"x": {"field": "zero", "type": "quantitative"}, "y": y, "text": {"field": "title"}},
        },
    ]
    if marks is not None:
        mark_tip = [{"field": "mark", "type": "quantitative", "title": mark_title, "format": ".3f"}]
        stroke = {"type": "tick", "thickness": 2, "color": colors[7], "bandSize": 24}
        at = {"x": {"field": "mark", "type": "quantitative"}, "y": y, "tooltip": mark_tip}
        layers.append({"mark": stroke, "encoding": at})
    return {"$schema": SCHEMA, **table(rows), **row_height(len(order), 22), "layer": layers}
