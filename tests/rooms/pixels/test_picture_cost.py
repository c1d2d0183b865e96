"""N squared on pixels, in exact numbers; and the chart's place for what was not measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.charts.cost import growth, measured
from core.charts.grouped import grouped
from core.inspect.costs.layer_cost import layer_cost
from core.rooms.pixels.compute.picture_cost import patch_tokens, picture_cost, pixel_tokens


def test_the_numbers_of_224() -> None:
    assert pixel_tokens(224) == 50_176 and patch_tokens(224, 16) == 197
    pixels, patches = picture_cost(pixel_tokens(224), 64, 4), picture_cost(patch_tokens(224, 16), 64, 4)
    assert pixels.pairs == 2_517_630_976 and patches.pairs == 38_809
    assert pixels.matrix_bytes == 4 * 4 * 2_517_630_976
    assert pixels.layer == layer_cost(50_176, 64, 4)


@given(st.integers(1, 64), st.sampled_from([1, 2, 4, 8, 16]))
def test_twice_the_side_is_sixteen_times_the_pairs(n: int, patch_size: int) -> None:
    side = n * patch_size
    assert picture_cost(pixel_tokens(2 * side), 8, 2).pairs == 16 * picture_cost(pixel_tokens(side), 8, 2).pairs
    assert patch_tokens(2 * side, patch_size) - 1 == 4 * (patch_tokens(side, patch_size) - 1)
    assert patch_tokens(side, 1) == pixel_tokens(side) + 1


def test_patches_that_do_not_fill_the_picture_are_refused() -> None:
    with pytest.raises(ValueError, match="patches of 16 pixels do not fill a picture of 40"):
        patch_tokens(40, 16)


def test_what_was_not_measured_is_drawn_as_such() -> None:
    spec = measured([64, 256], [1e-3, 2e-3], [(64, 1e-3), (4_096, 1.0)], beyond=[(4_096, 1.0, "far")])
    hollow = [layer for layer in spec["layer"] if layer["mark"].get("shape") == "diamond"]
    assert len(hollow) == 1 and hollow[0]["mark"]["filled"] is False
    assert spec["datasets"]["beyond"] == [
        {"length": 4_096, "ms": 1000.0, "what": "extrapolated, not measured", "name": "far"}
    ]
    assert hollow[0]["encoding"]["x"]["scale"]["domain"] == [64, 4_096]
    assert not [layer for layer in measured([64], [1.0], [])["layer"] if layer["mark"].get("shape") == "diamond"]


def test_the_axis_says_what_the_lengths_are() -> None:
    spec = growth([16, 512], {"a": [1, 2]}, y_title="y", at=224, at_label="here", crossing=None, x_title="side")
    assert spec["layer"][0]["encoding"]["x"]["title"] == "side"
    assert spec["datasets"]["at"][0]["label"] == "here"
    assert spec["layer"][-1]["mark"]["align"] == "right"  # no room on its right


def test_the_numbers_of_bars_stand_where_no_bar_and_no_stroke_can_be() -> None:
    spec = grouped(["a", "b"], {"one": [1, 0.03]}, [1, 0.95], x_title="x")
    assert [row["text"] for row in spec["datasets"]["rows"]] == ["100%", "3%"]
    bars, numbers = spec["layer"][:2]
    assert numbers["encoding"]["x"] == {"value": "width"} and numbers["mark"]["align"] == "right"
    assert bars["encoding"]["x"]["scale"]["domain"][1] >= 1.3
