"""Charts in a page: pictures with their words; what only the server would answer is locked."""

import math
from typing import Any

import pytest

from core.browser.chart_images import replace_charts_by_pictures
from core.browser.message_capture import Chart, MessageToWidget
from core.browser.message_packing import unpack_message
from core.charts.bars import bars


def chart(values: list[float]) -> Chart:
    return Chart(bars({"": values}, labels=["a <b>", "c"], x="loss", mode="light"), "Two bars.", "light")


def test_a_chart_becomes_a_picture_in_its_place_and_all_else_stays() -> None:
    other = MessageToWidget("matrix", b"", True)
    first, same, last = replace_charts_by_pictures([chart([0.25, 0.5]), other, chart([math.nan, 1.0])])
    assert same is other and (first.widget, last.widget) == ("still", "still")
    told: dict[str, Any] = unpack_message(first.message)[0]
    assert told["svg"].startswith("<svg") and "a &lt;b&gt;" in told["svg"]
    assert (told["alt"], told["mode"]) == ("Two bars.", "light") and unpack_message(last.message)[0] != told


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(ValueError, match="a chart could not be drawn"):
        replace_charts_by_pictures([Chart({"mark": {"type": "nonsense"}, "encoding": 3}, "", "light")])
