"""Charts of functions: every number is drawn, lines can be told apart, faults are refused."""

import pytest

from core.charts.curves import Curve
from core.charts.lines import lines


def test_every_point_is_drawn_and_every_line_differs_without_color() -> None:
    curves = [Curve(f"head {h}", [0, 1, 2], [0, -h, -2 * h]) for h in range(16)]
    spec = lines(curves, x_title="distance", y_title="bias")
    assert len(spec["datasets"]["rows"]) == 48
    assert {"x": 2.0, "y": -6.0, "series": "head 3"} in spec["datasets"]["rows"]
    encoding = spec["layer"][0]["encoding"]
    colors, dashes = encoding["color"]["scale"]["range"], encoding["strokeDash"]["scale"]["range"]
    assert len({(color, tuple(dash)) for color, dash in zip(colors, dashes, strict=True)}) == 16
    assert len({tuple(dash) for dash in dashes[:8]}) == 8


def test_one_line_needs_no_legend_and_steps_are_steps() -> None:
    spec = lines([Curve("bucket", [0, 1], [0, 1])], x_title="x", y_title="y", steps=True, marked=0)
    assert "scale" not in spec["layer"][0]["encoding"]["color"]
    assert spec["layer"][0]["mark"]["interpolate"] == "step"
    assert spec["datasets"]["marked"] == [{"x": 0.0}]


def test_faults_are_refused() -> None:
    with pytest.raises(ValueError, match="must differ"):
        lines([Curve("a", [0], [0]), Curve("a", [0], [1])], x_title="x", y_title="y")
    with pytest.raises(ValueError, match="2 places and 1 values"):
        lines([Curve("a", [0, 1], [0])], x_title="x", y_title="y")
