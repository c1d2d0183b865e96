"""Charts in a page: pictures with their words; what only the server would answer is locked."""

import math
from typing import Any

import pytest

from core.browser.capture import Chart, Sent
from core.browser.message import unpack
from core.browser.stills import with_stills
from core.charts.bars import bars


def chart(values: list[float]) -> Chart:
    return Chart(bars({"": values}, labels=["a <b>", "c"], x="loss", mode="light"), "Two bars.", "light")


def test_a_chart_becomes_a_picture_in_its_place_and_all_else_stays() -> None:
    other = Sent("matrix", b"", True)
    first, same, last = with_stills([chart([0.25, 0.5]), other, chart([math.nan, 1.0])])
    assert same is other and (first.widget, last.widget) == ("still", "still")
    told: dict[str, Any] = unpack(first.message)[0]
    assert told["svg"].startswith("<svg") and "a &lt;b&gt;" in told["svg"]
    assert (told["alt"], told["mode"]) == ("Two bars.", "light") and unpack(last.message)[0] != told


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(ValueError, match="a chart could not be drawn"):
        with_stills([Chart({"mark": {"type": "nonsense"}, "encoding": 3}, "", "light")])
