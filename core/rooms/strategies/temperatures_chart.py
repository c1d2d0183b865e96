"""Shares that change with the temperature, on a logarithmic scale."""

from collections.abc import Sequence

from core.charts.curves import Curve, Spec
from core.charts.lines import lines
from core.charts.theme import Mode


def temperatures(curves: Sequence[Curve], *, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: one line for each curve, all within 0 to 1; x is the temperature.

    Args:
        curves: with labels that differ and temperatures above 0.
    """
    spec = lines(
        curves, x_title="temperature T (logarithmic)", y_title="share, 0 to 1", mode=mode, y_range=(0, 1.02), marked=1.0
    )
    scale = {"type": "log", "nice": False, "domain": [min(curves[0].x), max(curves[0].x)]}
    axis = {"values": [0.01, 0.1, 1, 10, 100], "format": "~g"}
    for layer in spec["layer"]:
        layer["encoding"]["x"] = layer["encoding"]["x"] | {"scale": scale, "axis": axis}
    return spec
