"""The error of a finite difference against the step h, both on logarithmic scales."""

from collections.abc import Sequence

from core.charts.curves import SCHEMA, Spec, table
from core.charts.decades import power_labels, told
from core.charts.theme import Mode, accent, categorical

LEAST = 1e-17  # an error of exactly 0 has no place on a logarithmic scale


def check(steps: Sequence[float], errors: Sequence[float], *, mode: Mode = "light", height: int = 260) -> Spec:
    """A Vega-Lite specification: one point for each h, the smallest error marked.

    Args:
        steps: h, above 0.
        errors: |finite difference - gradient|, as many; 0 is drawn at 1e-17.

    Raises:
        ValueError: if the lengths differ.
    """
    if len(steps) != len(errors):
        raise ValueError(f"{len(steps)} steps do not match {len(errors)} errors")
    rows = [
        {"h": h, "error": max(e, LEAST), "step": told(h), "told": told(e)} for h, e in zip(steps, errors, strict=True)
    ]
    best = min(rows, key=lambda one: float(str(one["error"])))
    found = [float(str(row["error"])) for row in rows]
    limits = [min(found) / 50, max(found) * 2]  # room for the two names below the curve
    axis = {"labelExpr": power_labels(range(-20, 3)), "tickCount": 6}
    encoding = {
        "x": {"field": "h", "type": "quantitative", "scale": {"type": "log"}, "axis": axis,
              "title": "h, how far the weight is moved"},
        "y": {"field": "error", "type": "quantitative", "scale": {"type": "log", "domain": limits}, "axis": axis,
              "title": "difference of the two gradients"},
    }  # fmt: skip
    tooltip = [{"field": "step", "title": "h"}, {"field": "told", "title": "difference"}]
    color = categorical(mode)[0]
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2, "color": color}, "encoding": encoding},
        {"mark": {"type": "point", "filled": True, "size": 50, "opacity": 1, "color": color}, "encoding": encoding},
        {
            "data": {"values": [best]},
            "mark": {"type": "point", "size": 190, "strokeWidth": 2.5, "color": accent(mode)},
            "encoding": encoding,
        },
        *_slopes(mode),
        {"mark": {"type": "point", "size": 160, "opacity": 0}, "encoding": {**encoding, "tooltip": tooltip}},
    ]
    return {"$schema": SCHEMA, **table(rows), "height": height, "layer": layers}


def _slopes(mode: Mode) -> list[Spec]:
    """What makes each side of the curve, in the free corners below it."""
    look = {"type": "text", "fontSize": 12, "color": categorical(mode)[7], "baseline": "bottom"}
    sides = (("rounding, like 1/h", "left", 6), ("truncation, like h²", "right", {"expr": "width - 6"}))
    return [
        {
            "data": {"values": [{}]},
            "mark": look | {"align": align, "text": text, "x": x, "y": {"expr": "height - 6"}},
        }
        for text, align, x in sides
    ]
