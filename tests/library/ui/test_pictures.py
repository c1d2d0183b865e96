"""The widget of small pictures: what is sent, what is refused, what comes back."""

from typing import Any

import numpy as np
import pytest

from core.data import images
from core.data.images import patch_name
from core.ui.widgets.picture_grid import pictures, to_grid

DIGITS = images.held_out_digits().pixels[:3]
PHOTO = np.zeros((2, 4, 6, 3), np.uint8)


def draw(pixels: Any = DIGITS, **options: Any) -> Any:
    return pictures(pixels, **{"key": "p", "label": "Digits", "takeaway": "Three digits."} | options)


def test_pixels_and_weights_travel_as_they_are(sent: dict[str, Any]) -> None:
    weights = np.random.default_rng(0).random((3, 4, 2))
    draw(weights=weights, hidden=np.eye(4)[None, :, :2].repeat(3, 0))
    np.testing.assert_array_equal(sent["arrays"]["pixels"], DIGITS)
    np.testing.assert_array_equal(sent["arrays"]["weights"], weights.astype(np.float32))
    assert sent["arrays"]["hidden"].sum() == 6
    assert sent["header"]["grid"] == [4, 2] and sent["header"]["hidden_title"] == "hidden"
    draw(weights=weights, hidden=np.zeros((3, 4, 2)), hidden_title="not seen", columns=3, least=24)
    assert sent["header"]["hidden_title"] == "not seen" and sent["header"]["least"] == 24


def test_full_ink_is_that_of_the_digits_or_that_of_bytes(sent: dict[str, Any]) -> None:
    found = []
    for pixels, options in ((DIGITS, {}), (DIGITS * 15, {}), (DIGITS, {"ink": False}), (DIGITS, {"full": 20})):
        draw(pixels, **options)
        found.append(sent["header"]["full"])
    assert found == [16, 255, 255, 20]


def test_scales_begin_and_end_where_they_say(sent: dict[str, Any]) -> None:
    weights = np.full((3, 4, 4), 0.2)
    weights[0, 0, 0], weights[1, 1, 1] = -0.5, np.nan
    found = []
    for options in ({}, {"limits": None}, {"kind": "signed", "limits": None}, {"kind": "signed", "limits": (-1, 2)}):
        draw(weights=weights, **options)
        found.append((sent["header"]["low"], sent["header"]["high"]))
    assert found == [(0, 1), (0, 0.5), (-0.5, 0.5), (-2, 2)]
    draw(weights=np.zeros((3, 4, 4)), limits=None)
    assert (sent["header"]["low"], sent["header"]["high"]) == (0, 1)


@pytest.mark.parametrize(
    ("pixels", "options", "words"),
    [
        (DIGITS.astype(float), {}, "pixels are float64"),
        (DIGITS[0], {}, r"\(8, 8\) are neither"),
        (PHOTO[..., :2], {}, r"\(2, 4, 6, 2\) are neither"),
        (DIGITS[:0], {}, r"\(0, 8, 8\) are neither"),
        (np.zeros((401, 1, 1), np.uint8), {}, "401 pictures are more than the 400"),
        (np.zeros((5, 512, 512), np.uint8), {}, "1,310,720 bytes"),
        (DIGITS, {"titles": ["one"]}, "1 titles do not match 3 pictures"),
        (DIGITS, {"details": ["one"] * 4}, "4 details do not match 3 pictures"),
        (DIGITS, {"weights": np.zeros((2, 4, 4))}, r"weights \(2, 4, 4\) do not fit 3 pictures of 8 x 8"),
        (DIGITS, {"weights": np.zeros((3, 3, 4))}, r"weights \(3, 3, 4\) do not fit"),
        (DIGITS, {"hidden": np.zeros((3, 0, 4))}, r"hidden \(3, 0, 4\) do not fit"),
        (DIGITS, {"lines": 3}, "patches of 3 pixels do not divide pictures of 8 x 8"),
        (DIGITS, {"lines": 2, "weights": np.zeros((3, 2, 2))}, r"weights \(2, 2\), lines \(4, 4\)"),
        (DIGITS, {"pick": "patch"}, "there must be patches"),
        (DIGITS, {"limits": (0, 0)}, "leave no room"),
    ],
)
def test_what_cannot_be_drawn_is_refused(sent: dict[str, Any], pixels: Any, options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw(pixels, **options)


@pytest.mark.parametrize(
    ("pick", "state", "expected"),
    [
        ("picture", 2, 2),
        ("picture", 3, None),
        ("picture", -1, None),
        ("picture", True, None),
        ("picture", [0, 1], None),
        ("patch", [2, 15], (2, 15)),
        ("patch", [2, 16], None),
        ("patch", [3, 0], None),
        ("patch", ["0", 0], None),
        ("patch", [1], None),
        ("patch", {"a": 1}, None),
        (None, 1, 1),
        (None, None, None),
    ],
)
def test_only_a_picture_or_a_patch_comes_back(sent: dict[str, Any], pick: Any, state: Any, expected: Any) -> None:
    sent["state"]["pick"] = state
    assert draw(lines=2, pick=pick) == expected


def test_a_chosen_one_that_is_not_there_is_not_marked(sent: dict[str, Any]) -> None:
    found = []
    for pick, chosen in (("picture", 1), ("picture", 7), ("patch", (1, 3)), ("patch", (1, 99)), (None, None)):
        draw(lines=2, pick=pick, chosen=chosen)
        found.append(sent["header"]["chosen"])
    assert found == [1, None, [1, 3], None, None]


def test_patches_in_reading_order_become_a_grid() -> None:
    grid = to_grid(np.arange(16))
    assert grid.shape == (4, 4) and grid[1, 3] == 7
    assert patch_name(7, 4) == "row 1, column 3"
    assert to_grid(np.arange(24).reshape(2, 12), 3).shape == (2, 3, 4)
    for n, rows in ((15, None), (16, 3)):
        with pytest.raises(ValueError, match="make no grid"):
            to_grid(np.arange(n), rows)
