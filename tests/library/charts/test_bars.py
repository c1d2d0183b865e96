"""Bars hold the numbers that were given, and wrong lengths are refused."""

import pytest

from core.charts.before_after import before_after, ranking
from core.rooms.next_token.number_line_chart import number_line


def test_before_and_after_keep_alike_tokens_apart() -> None:
    spec = before_after(["a", "a"], [0.25, 0.5], [0.75, 0.125])
    rows = spec["datasets"]["rows"]
    assert [(row["when"], row["p"]) for row in rows] == [
        ("before", 0.25),
        ("before", 0.5),
        ("after", 0.75),
        ("after", 0.125),
    ]
    assert len({row["place"] for row in rows}) == 2
    opacity = spec["layer"][0]["encoding"]["fillOpacity"]["condition"]  # hollow and full, not color alone
    assert [(one["test"], one["value"]) for one in opacity] == [
        ('datum["when"] === "before"', 0),
        ('datum["when"] === "after"', 1),
    ]


def test_the_ranking_keeps_its_order_and_signs() -> None:
    rows = ranking(["x", "y"], [0.5, -0.25], value_title="change", marked=[True, False])["datasets"]["rows"]
    assert [tuple(row.values()) for row in rows] == [("x", 0.5, True), ("y", -0.25, False)]


@pytest.mark.parametrize("draw", [None, 0.0, 0.3, 0.95, 1.0])
def test_the_number_line_covers_what_was_given(draw: float | None) -> None:
    data = number_line(["a", "b"], [0.0, 0.25], [0.25, 1.0], draw, 1)["datasets"]
    assert [(row["low"], row["high"]) for row in data["rows"]] == [(0.0, 0.25), (0.25, 1.0)]
    assert data["rows"][0]["fill"] != data["rows"][1]["fill"]
    assert [row["u"] for row in data.get("drawn", [])] == ([] if draw is None else [draw])


def test_wrong_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 tokens do not match 1 and 2"):
        before_after(["a", "b"], [1.0], [0.5, 0.5])
    with pytest.raises(ValueError, match="1 labels do not match 2"):
        ranking(["a"], [1.0, 2.0], value_title="")
    with pytest.raises(ValueError, match="1 tokens do not match 2 and 1"):
        number_line(["a"], [0.0, 0.5], [1.0], None, 0)
