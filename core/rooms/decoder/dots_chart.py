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
    """
    values = [v for one in groups.values() for v in one] + list(marks.values())
    low, high, names, ink = min(values), max(values), list(groups), categorical(mode)
    room = (high - low) * 0.06
    x = {
        "field": "value",
        "type": "quantitative",
        "title": x_title,
        "scale": {"domain": [low - room, high + room], "nice": False, "zero": False},
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
    tooltip = [
        {"field": "group", "title": "start"},
        {"field": "seed", "type": "quantitative"},
        {"field": "value", "type": "quantitative", "title": x_title, "format": ".4f"},
    ]
    is_chosen = {"field": "group", "equal": chosen}
    color = {"condition": {"test": is_chosen, "value": accent(mode)}, "value": ink[0]}
    opacity = {"condition": {"test": is_chosen, "value": 0.85}, "value": 0.35}
    rule = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": ink[7]}
    dot = {"type": "point", "filled": True, "size": 70}
    layers = [
        _layer(lines, rule, {"x": x}),
        _layer(dots, dot, {"x": x, "y": y, "tooltip": tooltip, "color": color, "opacity": opacity}),
    ]
    # Names of the groups above their dots, and of the marks above all: axis labels would take half of a phone.
    text: Spec = {"type": "text", "fontSize": 12, "color": ink[7]}
    for look in ({"stroke": page(mode), "strokeWidth": 4, "strokeJoin": "round"}, {}):
        name = {"align": "left", "dx": 4, "dy": -17}
        group = {"x": {"value": 0}, "y": y, "text": {"field": "group"}}
        layers.append(_layer([{"group": one} for one in names], text | name | look, group))
        for n, line in enumerate(lines):
            is_right = line["value"] > (low + high) / 2
            side = {"fontWeight": 600, "align": "right" if is_right else "left", "dx": -5 if is_right else 5}
            label = {"x": x, "y": {"value": LABEL / 2 + LABEL * n}, "text": {"field": "label"}}
            layers.append(_layer([line], text | side | look, label))
    return {"$schema": SCHEMA, "height": HEIGHT, "layer": layers}


def _layer(rows: Sequence[Mapping[str, Any]], mark: Spec, encoding: Spec) -> Spec:
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}
