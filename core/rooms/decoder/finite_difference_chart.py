"""The error of a finite difference against the step h, both on logarithmic scales."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.charts.curves import SCHEMA, Spec, table
from core.charts.decades import power_labels, told
from core.charts.theme import Mode, accent, categorical

LEAST = 1e-17  # an error of exactly 0 has no place on a logarithmic scale


def check(steps: NDArray[Any], errors: NDArray[Any], *, mode: Mode = "light", height: int = 260) -> Spec:
    """A Vega-Lite specification: one point for each h, the smallest error marked.

    Args:
        steps: h, above 0.
        errors: |finite difference - gradient|, as many; 0 is drawn at 1e-17.
    """
    drawn = np.maximum(errors, LEAST)
    rows = [
        {"h": float(h), "error": float(y), "step": told(float(h)), "told": told(float(error))}
        for h, y, error in zip(steps, drawn, errors, strict=True)
    ]
    limits = [float(drawn.min()) / 50, float(drawn.max()) * 2]  # room for the two names below the curve
    shape = {"type": "quantitative", "axis": {"labelExpr": power_labels(range(-20, 3)), "tickCount": 6}}
    encoding = {
        "x": {**shape, "field": "h", "scale": {"type": "log"}, "title": "h, how far the weight is moved"},
        "y": {
            **shape,
            "field": "error",
            "scale": {"type": "log", "domain": limits},
            "title": "difference of the two gradients",
        },
    }
    tooltip = [{"field": "step", "title": "h"}, {"field": "told", "title": "difference"}]
    color = categorical(mode)[0]
    best = {"type": "point", "size": 190, "strokeWidth": 2.5, "color": accent(mode)}
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2, "color": color}, "encoding": encoding},
        {"mark": {"type": "point", "filled": True, "size": 50, "opacity": 1, "color": color}, "encoding": encoding},
        {"data": {"values": [rows[int(drawn.argmin())]]}, "mark": best, "encoding": encoding},
        _named("rounding, like 1/h", "left", 6, mode),
        _named("truncation, like h²", "right", {"expr": "width - 6"}, mode),
        {"mark": {"type": "point", "size": 160, "opacity": 0}, "encoding": {**encoding, "tooltip": tooltip}},
    ]
    return {"$schema": SCHEMA, **table(rows), "height": height, "layer": layers}


def _named(text: str, align: str, x: Any, mode: Mode) -> Spec:
    """What makes a side of the curve, in the free corner below it."""
    look = {"type": "text", "fontSize": 12, "color": categorical(mode)[7], "baseline": "bottom"}
    place = {"align": align, "text": text, "x": x, "y": {"expr": "height - 6"}}
    return {"data": {"values": [{}]}, "mark": look | place}
