"""Charts as specifications: they draw the given data, distinguishable without color, and refuse unsuitable data."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from core.charts.axis import BEYOND, ZERO, Axis, format_scientific
from core.charts.bars import bars, grouped_bars, parts_bar
from core.charts.curves import MAX_POINTS, curves
from core.charts.dots import dots
from core.charts.marks import bar_layer, line_layer
from core.charts.plot import columns_from_rows, plot
from core.charts.theme import page_color

NAN = math.nan
CURVES = {"one": ([0, 5, 10], [0.1, 0.5, 0.9]), "two": ([0, 5], [0.2, NAN])}
SHARE: dict[str, Any] = {"y": "share", "n_step": 20}


def layer_of(spec: dict[str, Any], kind: str) -> dict[str, Any]:
    """Its first layer of this kind."""
    return next(layer for layer in spec["layer"] if layer["mark"]["type"] == kind)


def points(spec: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(row["name"], row["x"], row["y"]) for row in spec["datasets"]["rows"]]


def test_a_ranking_keeps_its_order_and_signs() -> None:
    rows = bars({"x": 0.5, "y": -0.25}, x="change", marked=[True, False])["datasets"]["rows"]
    assert [(row["label"], row["value"], row["marked"]) for row in rows] == [("x", 0.5, True), ("y", -0.25, False)]


def test_two_labels_that_look_the_same_keep_separate_positions() -> None:
    rows = bars({"": [0.5, 0.25]}, labels=["a", "a"], x="x")["datasets"]["rows"]
    assert [(row["place"], row["label"]) for row in rows] == [(0, "a"), (1, "a")]


def test_bars_of_several_series_differ_in_place_and_color() -> None:
    spec = bars({"one": [1, 2], "two": [3, NAN]}, labels=["a", "b"], x="x")
    encoding = layer_of(spec, "bar")["encoding"]
    assert [(row["name"], row["value"]) for row in spec["datasets"]["rows"]] == [("one", 1), ("two", 3), ("one", 2)]
    assert encoding["yOffset"]["field"] == encoding["color"]["field"] == "name"


def test_parts_add_up() -> None:
    spec = parts_bar({"embedding": 10, "attention": 30, "MLP": 60})
    assert [row["share"] for row in spec["datasets"]["rows"]] == [0.1, 0.3, 0.6]
    assert [(row["low"], row["high"]) for row in spec["datasets"]["rows"]] == [(0, 10), (10, 40), (40, 100)]


def test_every_finite_point_is_drawn_and_the_axis_has_its_full_length() -> None:
    spec = curves(CURVES, **SHARE)
    assert points(spec) == [("one", 0, 0.1), ("one", 5, 0.5), ("one", 10, 0.9), ("two", 0, 0.2)]
    assert layer_of(spec, "line")["encoding"]["x"]["scale"]["domain"] == [0, 20]


def test_a_title_that_is_longer_than_its_axis_is_broken_into_lines() -> None:
    """Fails where a longer language loses the end of an axis title."""
    title = "how far the weight is moved to each side, on a logarithmic axis"
    encoding = layer_of(curves(CURVES, x=title, y="share"), "line")["encoding"]
    assert len(encoding["x"]["title"]) == 2 and " ".join(encoding["x"]["title"]) == title
    assert encoding["y"]["title"] == "share"


def test_columns_of_a_table_are_parted_by_their_names() -> None:
    rows = {"step": [1, 2, 1], "loss": [3.0, 2.0, 5.0], "model": ["a", "a", "b"]}
    assert points(curves(rows, x="step", y="loss", by="model")) == [("a", 1, 3), ("a", 2, 2), ("b", 1, 5)]


@pytest.mark.parametrize("is_log", [False, True])
def test_a_growing_curve_is_not_cut_off_and_before_the_first_point_every_axis_has_its_ends(is_log: bool) -> None:
    """Vega can't make a scale from no numbers: it warns about an infinite extent, and about a logarithm of zero."""
    step = Axis("step", is_log=is_log)
    for values in ([], [9.0]):
        spec = curves({"a": ([1] * len(values), values)}, x=step, y="loss", n_step=500, references={"blind": 4.6})
        for layer in spec["layer"]:
            ends = {axis: layer["encoding"][axis]["scale"]["domain"] for axis in "xy" if axis in layer["encoding"]}
            assert ends.get("x", [is_log, 500]) == [is_log, 500] and ends["y"][0] == 0 and ends["y"][1] > 4.6
        assert not values or layer_of(spec, "line")["encoding"]["y"]["scale"]["domain"][1] > 9


def test_a_hidden_curve_stays_in_the_legend_but_not_in_the_alt_text() -> None:
    spec = curves(CURVES, hidden=["one"], **SHARE)
    assert {row["name"] for row in spec["datasets"]["rows"]} == {"two"} and "one" not in spec["description"]
    for channel in ("color", "strokeDash"):
        assert layer_of(spec, "line")["encoding"][channel]["scale"]["domain"] == ["one", "two"]
    shown = layer_of(curves(CURVES, **SHARE), "line")
    assert layer_of(spec, "line")["encoding"]["color"]["scale"] == shown["encoding"]["color"]["scale"]


def test_a_ring_is_drawn_at_its_place_unless_the_curve_is_hidden() -> None:
    rings = {"one": 5, "two": 0}
    drawn = curves(CURVES, rings=rings, **SHARE)["datasets"]["rings"]
    assert drawn == [{"x": 5, "y": 0.5, "name": "one"}, {"x": 0, "y": 0.2, "name": "two"}]
    hidden = curves(CURVES, rings=rings, hidden=["one"], **SHARE)
    assert [row["name"] for row in hidden["datasets"]["rings"]] == ["two"]
    assert "rings" not in curves(CURVES, **SHARE)["datasets"]


def test_references_are_named_on_the_side_where_no_curve_runs() -> None:
    steps = list(range(20))
    for level, below in ((0.52, True), (0.48, False)):
        known = {"half": 0.5, "none": NAN}
        spec = curves({"a": (steps, [level] * 20)}, y=Axis("", (0, 1)), n_step=19, references=known)
        assert spec["datasets"]["references"] == [{"y": 0.5, "label": "half"}]
        rim, name = (layer for layer in spec["layer"] if layer["mark"]["type"] == "text")
        assert spec["datasets"][name["data"]["name"]] == [{"y": 0.5, "label": "half"}]
        assert (name["mark"]["dy"] > 0) == (rim["mark"]["dy"] > 0) == below
        assert rim["mark"]["stroke"] == page_color("light") and "stroke" not in name["mark"]


def test_long_curves_are_thinned_to_points_that_were_measured() -> None:
    steps = list(range(2000))
    rows = curves({"a": (steps, [s / 2000 for s in steps])}, y="", n_step=2000)["datasets"]["rows"]
    assert len(rows) <= MAX_POINTS + 1 and rows[-1]["x"] == 1999
    assert all(row["y"] == pytest.approx(row["x"] / 2000) for row in rows)


def test_every_line_differs_without_color() -> None:
    heads = {f"head {h}": ([0, 1, 2], [0, -h, -2 * h]) for h in range(16)}
    spec = curves(heads, x="distance", y="bias")
    assert len(spec["datasets"]["rows"]) == 48 and ("head 3", 2, -6) in points(spec)
    encoding = layer_of(spec, "line")["encoding"]
    colors, dashes = encoding["color"]["scale"]["range"], encoding["strokeDash"]["scale"]["range"]
    assert len({(color, tuple(dash)) for color, dash in zip(colors, dashes, strict=True)}) == 16
    assert len({tuple(dash) for dash in dashes[:8]}) == 8


def test_a_line_keeps_its_look_when_others_go() -> None:
    looks = {name: (i, i) for i, name in enumerate("abc")}
    alone, among = (
        layer_of(curves(dict.fromkeys(names, ([0], [1])), x="x", y="y", looks=looks), "line")["encoding"]["color"]
        for names in ("c", "abc")
    )
    assert alone["scale"]["range"] == among["scale"]["range"][2:]


def test_one_line_that_the_axis_names_needs_no_legend_and_steps_are_steps() -> None:
    spec = curves({"bucket": ([0, 1], [0, 1])}, x="x", y="bucket", is_staircase=True, at=0)
    assert layer_of(spec, "line")["encoding"]["color"]["legend"] is None
    assert layer_of(spec, "line")["mark"]["interpolate"] == "step"
    assert spec["datasets"]["at"] == [{"x": 0, "label": ""}]


def test_values_off_a_logarithmic_axis_are_labeled_at_its_edge() -> None:
    sizes = {"a": ([1, 2, 3], [1.0, 1e-9, 0.0]), "b": ([1, 2, 3], [3.0, math.inf, NAN])}
    spec = curves(sizes, x="layers", y=Axis("size", is_log=True), rings={"a": 3})
    low, high = layer_of(spec, "line")["encoding"]["y"]["scale"]["domain"]
    assert points(spec) == [("a", 1, 1), ("a", 2, 1e-9), ("b", 1, 3)], "no line leads to the others"
    assert [(row["name"], row["x"], row["y"]) for row in spec["datasets"][ZERO]] == [("a", 3, low)]
    assert [(row["name"], row["x"], row["y"]) for row in spec["datasets"][BEYOND]] == [
        ("b", 2, high),
        ("b", 3, high),
    ]
    assert spec["datasets"]["rings"] == [{"x": 3, "y": low, "name": "a"}]
    told = [row["label"] for rows in spec["datasets"].values() for row in rows if "label" in row]
    assert told == [ZERO, BEYOND]


def test_dots_name_the_highest_and_differ_in_shape() -> None:
    groups = {"m": ([0, 1], [5, 1]), "n": ([0.5], [3])}
    spec = dots(groups, x="x", y="y", labels={"m": ["a", "b"], "n": ["c"]}, n_named=2)
    assert [(row["name"], row["label"]) for row in spec["datasets"]["rows"]] == [("m", "a"), ("m", "b"), ("n", "c")]
    assert [row["label"] for row in spec["datasets"]["highest"]] == ["a", "c"]
    shapes = spec["layer"][0]["encoding"]["shape"]["scale"]
    assert shapes["domain"] == ["m", "n"] and len(set(shapes["range"])) == 2


def test_sizes_are_written_with_their_unit() -> None:
    assert [Axis(unit="bytes").text(one) for one in (12, 40e6, 1.5e9)] == ["12 B", "40 MB", "1.5 GB"]
    assert [Axis(unit="%").text(one) for one in (0, 0.125, 1)] == ["0%", "12.5%", "100%"]
    assert [Axis().text(one) for one in (0, -0.25, 12_345, 5.7e-6)] == ["0", "−0.25", "12,345", "5.7·10⁻⁶"]
    assert [format_scientific(one) for one in (0, math.inf, 0.82)] == [ZERO, BEYOND, "0.82"]
    spec = curves({"a": ([1, 2], [1e6, 4e7])}, x="x", y=Axis("memory", unit="bytes"))
    assert "' MB'" in layer_of(spec, "line")["encoding"]["y"]["axis"]["labelExpr"]


def test_alt_text_names_ends_and_extremes() -> None:
    spec = curves({"a": ([0, 1, 2], [3, 1, 2])}, x="step", y="loss", references={"known": 0.5})
    assert spec["description"] == "Loss by step. a: 3 at 0, 2 at 2, lowest 1 at 1. known: 0.5."
    assert curves({"a": ([0], [3])}, x="step", y="loss", takeaway="It falls.")["description"].startswith("It falls. L")
    assert curves({"a": ([0], [3])}, x="step", y="loss", alt="**Other**")["description"] == "Other"


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: bars({"": [1.0, 2.0]}, labels=["a"], x=""), "has 2 values, there are 1 labels"),
        (lambda: bars({"a": 1.0}, x="", notes=["b", "c"]), "'notes' has 2 values"),
        (lambda: grouped_bars({"a": [1.0]}, labels=["b", "c"], x=""), "'a' has 1 values, there are 2 labels"),
        (lambda: curves({"a": ([0, 1], [0])}, x="", y=""), "2 places and 1 values"),
        (lambda: curves(CURVES, hidden=["three"], **SHARE), "none of the curves"),
        (lambda: curves(CURVES, rings={"three": 1}, **SHARE), "none of the curves"),
        (lambda: curves({"step": [1]}, x="step", y="loss", by="model"), r"no columns \['loss', 'model'\]"),
        (lambda: curves({"a": ([1], [-1])}, x="", y=Axis(is_log=True)), "no place below 0"),
        (lambda: dots({"m": ([0, 1], [0, 1])}, x="", y="", labels={"m": ["a"]}), "1 labels, 2 places and 2 values"),
        (lambda: Axis(unit="nats"), "in '%' or 'bytes', not in 'nats'"),
        (lambda: Axis("size", (0, 1), is_log=True), "'size' begins at 0"),
        (
            lambda: plot([line_layer(columns_from_rows([(1, 2)], "a", "b"), "a", "c")], x=Axis(), y=Axis()),
            r"needs \['c'\]",
        ),
        (lambda: plot([bar_layer({"a": [1], "b": []}, "a", "b")] * 2, x=Axis(), y=Axis()), "equally long"),
    ],
)
def test_what_does_not_fit_is_refused(draw: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw()
