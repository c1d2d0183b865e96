"""The Python side of two widgets: what is sent, and what is refused."""

from typing import Any

import numpy as np
import pytest

from core.ui.widgets import parts, strips
from core.ui.widgets.parts import Part, Piece
from core.ui.widgets.strips import Strip

KINDS = {"stream": "both", "norm": "alone", "write": "both"}


def test_strips_of_one_range_share_their_colors(sent: dict[str, Any]) -> None:
    items = [
        Strip("in", "stream", np.array([1.0, -2])),
        Strip("normed", "norm", np.array([0.5, 0.25])),
        Strip("written", "write", np.array([3.0, 4])),
        Strip("out", "stream", np.array([4.0, 2]), (0, 2)),
    ]
    strips.strips(items, key="k", kinds=KINDS, label="Token 3")
    header = sent["header"]
    assert header["limits"] == [4, 0.5]
    assert header["range"] == [0, 1, 0, 0]
    assert header["kind"] == [0, 1, 2, 0]
    assert header["sums"] == [None, None, None, [0, 2]]
    assert header["lengths"][2] == 5
    assert header["takeaway"] == "Token 3: 4 stages of 2 numbers."
    np.testing.assert_array_equal(sent["arrays"]["values"][3], [4, 2])


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([Strip("a", "stream", np.ones(2)), Strip("b", "stream", np.ones(3))], "they need one width"),
        ([Strip("a", "stream", np.ones((2, 2)))], "they need one width"),
        ([Strip("a", "stream", np.ones(0))], "0 numbers; a strip shows between 1"),
        ([Strip("a", "stream", np.ones(9000))], "9000 numbers"),
        ([Strip("a", "other", np.ones(2))], "'other' is none of the kinds"),
        ([Strip("a", "stream", np.ones(2), (0, 1))], "there are 1"),
    ],
)
def test_strips_that_do_not_fit_are_refused(sent: dict[str, Any], items: list[Strip], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        strips.strips(items, key="k", kinds=KINDS)


def test_parts_that_do_not_add_up_are_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'a' has 7, its pieces 6"):
        parts.parts([Part("a", "", "", 7, [Piece("x", "", 6)])], key="k", unit="parameters")


def test_parts_sum_up_and_the_largest_is_open(sent: dict[str, Any]) -> None:
    terms = [
        Part("a", "V · D", "2 · 3", 6, [Piece("x", "2 × 3", 6)]),
        Part("b", "D", "9", 9, [Piece("y", "4", 4), Piece("z", "5", 5)]),
    ]
    parts.parts(terms, key="k", unit="parameters", label="Model")
    assert sent["header"]["total"] == 15
    assert sent["header"]["selected"] == 1
    assert sent["header"]["takeaway"] == "Model: 15 parameters. The largest term is b with 9."
