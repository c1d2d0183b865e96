"""Chart specifications are data: their numbers are those that were given, and wrong lengths are refused."""

import numpy as np

from core.rooms.block.compute.moments import Histogram
from core.rooms.block.units_chart import functions, histogram, units_on_their_bend
from core.rooms.step_by_step.width_curves_chart import weight_bars, width_curve


def test_the_width_curve_marks_the_chosen_width() -> None:
    spec = width_curve([4, 8], [4.1, 8.2], [1.0, 1.1], at=(6, 6.5, 1.05), title="variance", log=True)
    data = spec["datasets"]
    assert [(row["width"], row["value"]) for row in data["rows"]] == [(4, 4.1), (8, 8.2), (4, 1.0), (8, 1.1)]
    assert [dot["value"] for dot in data["dots"]] == [6.5, 1.05]
    assert data["at"] == [{"width": 6}]
    lines = spec["layer"][1]["encoding"]
    assert lines["strokeDash"]["legend"] == lines["color"]["legend"]  # one legend, which shows the dashes too
    assert lines["y"]["scale"]["domain"] == [1, 10]
    limited = width_curve([4], [1.0], [2.0], at=(4, 1, 2), title="t", limit=(4.16, "most"), mode="dark")
    assert limited["datasets"]["most"][0]["label"] == "most"


def test_weights_histograms_units_and_functions_keep_their_numbers() -> None:
    bars = weight_bars([0.25, 0.75], [0.5, 0.5])
    assert [row["weight"] for row in bars["datasets"]["rows"]] == [0.25, 0.75, 0.5, 0.5]
    ends = [row["end"] for row in bars["datasets"]["rows"]]
    assert ends == [0.25, 0.75, -0.5, -0.5]  # up and down, not by color alone
    bins = Histogram(np.arange(3.0), np.array([3, 4]), np.array([3.5, 3.5]))
    counted = histogram(bins, title="number", height=170, with_normal=True)
    assert [row["count"] for row in counted["datasets"]["rows"]] == [3, 4]
    assert len(histogram(bins, title="number", height=170)["layer"]) == 1
    dots = units_on_their_bend([-1.0, 2.0], [0.0, 4.0])
    assert [row["state"] for row in dots["datasets"]["rows"]] == ["off", "on"]
    drawn = functions([0, 1], {"b": [1.0, 2.0]}, at=0.5, y_title="f", order=("a", "b"), y_limits=(0, 3))
    both = functions([0, 1], {"a": [1.0, 2.0], "b": [1.0, 2.0]}, y_title="f", order=("a", "b"))
    alone, beside = (one["layer"][0]["encoding"]["color"]["scale"] for one in (drawn, both))
    assert alone["range"][0] == beside["range"][1]  # a function keeps its color when another goes
