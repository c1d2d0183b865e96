"""The training curves as specifications: what is drawn is what was computed, and never more than is needed."""

import math

import pytest

from core.charts import curves
from core.charts.race import race

NAN = math.nan


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
    spec = curves.loss_curves(points, [curves.Reference(4.6, "blind")], n_step=50)
    training = [row["loss"] for row in spec["datasets"]["rows"] if row["series"] == "training"]
    validation = [(row["step"], row["loss"]) for row in spec["datasets"]["rows"] if row["series"] == "validation"]
    assert training == [point["loss"] for point in points]
    assert validation == [(s, points[s - 1]["val_loss"]) for s in (1, 10, 20)]


def test_axis_has_its_full_length_from_the_first_point_on_and_no_curve_is_cut_off() -> None:
    one = [{"step": 1, "loss": 9.0, "val_loss": None}]
    for log, ends in ((False, [0, 500]), (True, [1, 500])):
        spec = curves.loss_curves(one, [curves.Reference(4.6, "blind")], n_step=500, log_steps=log)
        x, y = (spec["layer"][-1]["encoding"][axis]["scale"]["domain"] for axis in "xy")
        assert x == ends and y[0] == 0 and y[1] > 9


def test_reference_lines_are_drawn_at_their_value_with_their_name() -> None:
    spec = curves.loss_curves(_points(3), [curves.Reference(4.6, "blind"), curves.Reference(NAN, "none")], n_step=5)
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
    spec = curves.compare([curves.Curve(f"run {i}", [1, 2], [3.0, 2.0]) for i in range(8)], x_title="step")
    encoding = spec["layer"][0]["encoding"]
    for channel in ("color", "strokeDash"):
        assert len(set(map(str, encoding[channel]["scale"]["range"]))) == 8
    assert len(spec["datasets"]["rows"]) == 16


def test_compare_refuses_what_cannot_be_told_apart() -> None:
    with pytest.raises(ValueError, match="must differ"):
        curves.compare([curves.Curve("a", [], []), curves.Curve("a", [], [])], x_title="step")
    with pytest.raises(ValueError, match="1 places and 2 losses"):
        curves.compare([curves.Curve("a", [1], [1.0, 2.0])], x_title="step")


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
