"""Dots on a line for each of some groups, with marked values across: what many throws of the dice gave."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.charts.curves import SCHEMA, Spec
from core.charts.theme import Mode, accent, categorical, page

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
    """A Vega-Lite specification: one line of dots for each group.

    Args:
        groups: name -> values; one dot each.
        marks: name -> a value drawn across all groups.
        chosen: the group drawn in full color.

    Raises:
        ValueError: if there is no such group.
    """
    if chosen not in groups:
        raise ValueError(f"{chosen!r} is none of the groups {list(groups)}")
    values = [v for one in groups.values() for v in one] + list(marks.values())
    room = (max(values) - min(values)) * 0.06
    names = list(groups)
    x = {
        "field": "value",
        "type": "quantitative",
        "title": x_title,
        "scale": {"domain": [min(values) - room, max(values) + room], "nice": False, "zero": False},
        "axis": {"tickCount": 6, "format": ".2f", "grid": False},
    }
    y = {
        "field": "group",
        "type": "ordinal",
        "title": None,
        "sort": names,
        "scale": {"domain": names, "range": [TOP, TOP + BETWEEN * len(names)]},
        "axis": {"orient": "left", "labels": False, "ticks": False, "domain": False},
    }
    dots = [{"group": name, "value": v, "seed": seed} for name, some in groups.items() for seed, v in enumerate(some)]
    lines: list[dict[str, Any]] = [{"value": v, "label": f"{name} {v:.2f}"} for name, v in marks.items()]
    ink = categorical(mode)
    tooltip = [
        {"field": "group", "title": "start"},
        {"field": "seed", "type": "quantitative"},
        {"field": "value", "type": "quantitative", "title": x_title, "format": ".4f"},
    ]
    rim = {"stroke": page(mode), "strokeWidth": 4, "strokeJoin": "round"}
    layers: list[Spec] = [
        {
            "data": {"values": lines},
            "mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": ink[7]},
            "encoding": {"x": x},
        },
        {
            "data": {"values": dots},
            "mark": {"type": "point", "filled": True, "size": 70},
            "encoding": {
                "x": x,
                "y": y,
                "tooltip": tooltip,
                "color": {"condition": {"test": {"field": "group", "equal": chosen}, "value": accent(mode)},
                          "value": ink[0]},
                "opacity": {"condition": {"test": {"field": "group", "equal": chosen}, "value": 0.85}, "value": 0.35},
            },
        },
    ]  # fmt: skip
    # Names of the groups above their dots, and of the marks above all: axis labels would take half of a phone.
    for look in (rim, {}):
        layers.append(
            {
                "data": {"values": [{"group": name} for name in names]},
                "mark": {"type": "text", "align": "left", "dx": 4, "dy": -17, "fontSize": 12, "color": ink[7]} | look,
                "encoding": {"x": {"value": 0}, "y": y, "text": {"field": "group"}},
            }
        )
        for n, line in enumerate(lines):
            is_last = line["value"] > (min(values) + max(values)) / 2
            layers.append(
                {
                    "data": {"values": [line]},
                    "mark": {
                        "type": "text", "fontSize": 12, "color": ink[7], "fontWeight": 600,
                        "align": "right" if is_last else "left", "dx": -5 if is_last else 5,
                    } | look,
                    "encoding": {"x": x, "y": {"value": LABEL / 2 + LABEL * n}, "text": {"field": "label"}},
                }
            )  # fmt: skip
    return {"$schema": SCHEMA, "height": HEIGHT, "layer": layers}
