"""Charts as specifications: what is drawn is what was given, told apart without color; what does not fit is refused."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from core.charts import curves
from core.charts.curves import Curve, Reference
from core.charts.lines import lines
from core.charts.race import race
from core.charts.theme import page

NAN = math.nan
CURVES = {"one": ([0, 5, 10], [0.1, 0.5, 0.9]), "two": ([0, 5], [0.2, NAN])}
XY: dict[str, Any] = {"x_title": "x", "y_title": "y"}


def _points(n: int, every: int = 10) -> list[dict]:
    return [
        {"step": s, "loss": 4 / s, "val_loss": 4 / s + 0.1 if s == 1 or s % every == 0 else None, "grad_norm": 1 / s}
        for s in range(1, n + 1)
    ]


@pytest.mark.parametrize("n", [0, 1, 2, 299, 300, 301, 1_000, 20_000])
@pytest.mark.parametrize("every", [1, 7, 1_250])
def test_thinning_keeps_ends_order_and_real_points(n: int, every: int) -> None:
    points = _points(n, every)
    shown = curves.thin(points)
    assert len(shown) <= curves.MAX_POINTS
    assert len(shown) == n if n <= curves.MAX_POINTS else len(shown) > curves.MAX_POINTS // 3
    steps = [point["step"] for point in shown]
    assert steps == sorted(set(steps))
    assert all(point in points for point in (shown[:3] + shown[-3:]))
    assert shown[:1] == points[:1] and shown[-1:] == points[-1:]
    if every == 1_250:  # rare validation losses are all kept
        assert [p for p in shown if p["val_loss"]] == [p for p in points if p["val_loss"]]


def test_loss_curves_hold_every_number_once() -> None:
    points = _points(20)
    spec = curves.loss_curves(points, [Reference(4.6, "blind")], n_step=50)
    training = [row["loss"] for row in spec["datasets"]["rows"] if row["series"] == "training"]
    validation = [(row["step"], row["loss"]) for row in spec["datasets"]["rows"] if row["series"] == "validation"]
    assert training == [point["loss"] for point in points]
    assert validation == [(s, points[s - 1]["val_loss"]) for s in (1, 10, 20)]


def test_axis_has_its_full_length_from_the_first_point_on_and_no_curve_is_cut_off() -> None:
    one = [{"step": 1, "loss": 9.0, "val_loss": None}]
    for log, ends in ((False, [0, 500]), (True, [1, 500])):
        spec = curves.loss_curves(one, [Reference(4.6, "blind")], n_step=500, log_steps=log)
        x, y = (spec["layer"][-1]["encoding"][axis]["scale"]["domain"] for axis in "xy")
        assert x == ends and y[0] == 0 and y[1] > 9


def test_reference_lines_are_drawn_at_their_value_with_their_name() -> None:
    spec = curves.loss_curves(_points(3), [Reference(4.6, "blind"), Reference(NAN, "none")], n_step=5)
    assert [layer["mark"]["type"] for layer in spec["layer"] if "data" in layer] == ["rule", "text"]
    assert spec["datasets"]["lines"] == [{"loss": 4.6, "label": "blind"}]


@pytest.mark.parametrize("bad", [NAN, math.inf, None])
def test_what_is_no_number_is_left_out(bad: float | None) -> None:
    points = [{"step": 1, "loss": bad, "val_loss": bad, "grad_norm": bad}, *_points(2)]
    for draw, n_row in ((curves.loss_curves, 3), (curves.gradient_norms, 2)):
        assert len(draw(points, n_step=2)["datasets"]["rows"]) == n_row


def test_a_gradient_of_zero_has_no_place_on_a_logarithmic_axis() -> None:
    spec = curves.gradient_norms([{"step": 1, "grad_norm": 0.0}, {"step": 2, "grad_norm": 0.5}], n_step=2)
    assert [row["step"] for row in spec["datasets"]["rows"]] == [2]


def test_compared_runs_differ_in_color_and_dash() -> None:
    spec = curves.compare([Curve(f"run {i}", [1, 2], [3.0, 2.0]) for i in range(8)], x_title="step")
    encoding = spec["layer"][0]["encoding"]
    for channel in ("color", "strokeDash"):
        assert len(set(map(str, encoding[channel]["scale"]["range"]))) == 8
    assert len(spec["datasets"]["rows"]) == 16


def test_parts_add_up() -> None:
    spec = curves.parts_bar({"embedding": 10, "attention": 30, "MLP": 60})
    assert [row["share"] for row in spec["datasets"]["rows"]] == [0.1, 0.3, 0.6]


def test_before_the_first_point_every_axis_has_its_ends() -> None:
    """Of no numbers Vega cannot make a scale; it warns of an infinite extent, and of a logarithm of zero."""
    for spec in (
        curves.loss_curves([], n_step=100),
        curves.loss_curves([], n_step=100, log_steps=True),
        curves.gradient_norms([], n_step=100),
        race({"a": ([], [])}, y_title="y", n_step=100),
    ):
        assert spec["layer"]
        assert all("domain" in layer["encoding"][axis]["scale"] for layer in spec["layer"] for axis in "xy")


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


def encodings(spec: dict) -> dict:
    return next(layer["encoding"] for layer in spec["layer"] if layer["mark"]["type"] == "line")


def test_every_finite_point_is_drawn_and_the_axis_has_its_full_length() -> None:
    spec = race(CURVES, y_title="share", n_step=20)
    assert [(row["name"], row["step"], row["value"]) for row in spec["datasets"]["rows"]] == [
        ("one", 0, 0.1),
        ("one", 5, 0.5),
        ("one", 10, 0.9),
        ("two", 0, 0.2),
    ]
    assert encodings(spec)["x"]["scale"]["domain"] == [0, 20]


def test_a_hidden_curve_keeps_its_place_in_the_legend() -> None:
    spec = race(CURVES, y_title="share", n_step=20, hidden=["one"])
    assert {row["name"] for row in spec["datasets"]["rows"]} == {"two"}
    for channel in ("color", "strokeDash"):
        assert encodings(spec)[channel]["scale"]["domain"] == ["one", "two"]
    assert encodings(spec)["color"]["scale"] == encodings(race(CURVES, y_title="", n_step=20))["color"]["scale"]


def test_a_marked_step_gets_a_ring_on_its_curve_unless_the_curve_is_hidden() -> None:
    marks = {"one": 5, "two": 0}
    spec = race(CURVES, y_title="share", n_step=20, marks=marks)
    assert spec["datasets"]["rings"] == [
        {"step": 5, "value": 0.5, "name": "one"},
        {"step": 0, "value": 0.2, "name": "two"},
    ]
    hidden = race(CURVES, y_title="share", n_step=20, marks=marks, hidden=["one"])
    assert [row["name"] for row in hidden["datasets"]["rings"]] == ["two"]
    assert "rings" not in race(CURVES, y_title="share", n_step=20)["datasets"]


def test_references_are_named_on_the_side_where_no_curve_runs() -> None:
    steps = list(range(20))
    for level, below in ((0.52, True), (0.48, False)):
        spec = race({"a": (steps, [level] * 20)}, [Reference(0.5, "half")], y_title="", n_step=19, y_limits=(0, 1))
        rim, name = (layer for layer in spec["layer"] if layer["mark"]["type"] == "text")
        assert spec["datasets"][name["data"]["name"]] == [{"value": 0.5, "label": "half"}]
        assert (name["mark"]["dy"] > 0) == (rim["mark"]["dy"] > 0) == below
        assert rim["mark"]["stroke"] == page("light") and "stroke" not in name["mark"]


def test_long_curves_are_thinned_to_points_that_were_measured() -> None:
    steps = list(range(2000))
    rows = race({"a": (steps, [s / 2000 for s in steps])}, y_title="", n_step=2000)["datasets"]["rows"]
    assert len(rows) <= 301 and rows[-1]["step"] == 1999
    assert all(row["value"] == row["step"] / 2000 for row in rows)


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: curves.compare([Curve("a", [], []), Curve("a", [], [])], x_title="step"), "must differ"),
        (lambda: curves.compare([Curve("a", [1], [1.0, 2.0])], x_title="step"), "1 places and 2 losses"),
        (lambda: lines([Curve("a", [0], [0]), Curve("a", [0], [1])], **XY), "must differ"),
        (lambda: lines([Curve("a", [0, 1], [0])], **XY), "2 places and 1 values"),
        (lambda: race({"a": ([0, 1], [0.5])}, y_title="", n_step=2), "2 steps and 1 values"),
        (lambda: race(CURVES, y_title="", n_step=2, hidden=["three"]), "none of the curves"),
        (lambda: race(CURVES, y_title="", n_step=2, marks={"three": 1}), "none of the curves"),
    ],
)
def test_what_does_not_fit_is_refused(draw: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw()
