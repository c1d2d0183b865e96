"""The race and the scatter: what is drawn, what is hidden, and what is refused."""

import pytest

from core.charts.curves import Reference
from core.charts.race import race
from core.charts.theme import page
from core.rooms.heads_at_work.scatter_chart import Points, scatter

CURVES = {"one": ([0, 5, 10], [0.1, 0.5, 0.9]), "two": ([0, 5], [0.2, float("nan")])}


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


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="2 steps and 1 values"):
        race({"a": ([0, 1], [0.5])}, y_title="", n_step=2)
    with pytest.raises(ValueError, match="none of the curves"):
        race(CURVES, y_title="", n_step=2, hidden=["three"])
    with pytest.raises(ValueError, match="1 names, 2 x and 2 y"):
        scatter({"m": Points(["a"], [0, 1], [0, 1])}, x_title="", y_title="")


def test_scatter_names_the_highest_points_and_differs_in_shape() -> None:
    spec = scatter(
        {"m": Points(["a", "b"], [0, 1], [5, 1]), "n": Points(["c"], [0.5], [3])}, x_title="x", y_title="y", n_named=2
    )
    assert [(row["group"], row["name"]) for row in spec["datasets"]["rows"]] == [("m", "a"), ("m", "b"), ("n", "c")]
    assert [row["name"] for row in spec["datasets"]["highest"]] == ["a", "c"]
    shapes = spec["layer"][0]["encoding"]["shape"]["scale"]
    assert shapes["domain"] == ["m", "n"] and len(set(shapes["range"])) == 2
