"""Charts of the embeddings room and of the cost exhibit: what they hold, what they refuse."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from core.charts.bars import bars
from core.charts.trend import fitted_curve_chart
from core.rooms.embeddings.token_map_chart import TokenMapChart, room_for_labels

POINTS = np.array([[0.0, 0], [1, 2], [3, 1]])


@pytest.mark.parametrize("n_axis", [2, 3])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_map_is_a_figure_that_plotly_takes(n_axis: int, mode: str) -> None:
    points = np.hstack([POINTS, POINTS])[:, :n_axis]
    groups = {"groups": ["a", "b", "a"], "group_order": ("b", "a", "c"), "quiet": "a"}
    for options in (groups, {"values": [1.0, np.nan, 3.0], "value_title": "count"}):
        spec = TokenMapChart(points, ["x", "y", "z"], **options, chosen=1, linked=[0, 2], mode=mode).figure()  # type: ignore[arg-type]
        figure = go.Figure(spec)
        assert {trace.type for trace in figure.data} == {"scatter" if n_axis == 2 else "scatter3d"}
        assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    names = [trace.name for trace in go.Figure(TokenMapChart(points, ["x", "y", "z"], **groups).figure()).data]  # type: ignore[arg-type]
    assert names == ["b", "a"], "in the order of the legend, without empty groups"


def test_a_click_sends_the_token_and_its_name_is_no_markup() -> None:
    spec = TokenMapChart(POINTS, ["<b>", "&", "z"], ids=[7, 8, 9], details=["<i>", "", ""]).figure()
    trace = spec["data"][0]
    assert trace["customdata"] == [[7], [8], [9]]
    assert trace["text"][0] == "&lt;b&gt;"
    assert "<i>" not in trace["hovertext"][0]
    solid = TokenMapChart(np.hstack([POINTS, POINTS])[:, :3], ["<b>", "&", "z"]).figure()["data"][0]
    assert "<" not in "".join(solid["text"])


def test_each_group_has_its_own_sign_and_every_neighbor_a_line() -> None:
    groups = [f"g{i}" for i in range(9)]
    points = np.arange(18.0).reshape(9, 2)
    spec = TokenMapChart(points, groups, groups=groups, quiet="g8", chosen=0, linked=[1, 2]).figure()
    signs = [t["marker"]["symbol"] for t in spec["data"] if t["mode"] == "markers+text"][:-1]
    assert len(set(signs[:8])) == 8
    assert spec["data"][0]["x"] == [0, 2, None, 0, 4, None]


def test_labels_leave_one_another_room_and_the_scale_has_its_own() -> None:
    points = np.array([[0.0, 0], [0.001, 0], [1, 1], [0, 0.5]])
    assert room_for_labels(points, ["aaa", "bbb", "ccc", "ddd"], [1, 0, 2, 3]) == {1, 2, 3}
    assert room_for_labels(np.zeros((1, 2)), ["a"], [0]) == {0}
    # Those of a solid map have room as it is first seen.
    along_the_eye = np.array([[0, 0, 0], [1.05, 1.05, 0.75], [1, 0, 0], [0, 1, 0]], dtype=float)
    along_the_eye[2:] *= 1.05
    cube = np.vstack([along_the_eye, [0, 0, 1.05]])  # equal spans, so that nothing is stretched
    assert room_for_labels(cube, ["a", "b", "c", "d", "e"], [0, 1, 2, 3]) == {0, 2, 3}
    figure = TokenMapChart(np.eye(3)[:, :2], ["a", "b", "c"], groups=["x"] * 3, chosen=1, linked=[0]).figure()
    assert [text for trace in figure["data"] for text in trace.get("text", [])].count("b") == 1
    figure = TokenMapChart(
        np.eye(2), ["a", "b"], values=[0, 1], value_title="count", value_ticks={0: "0", 1: "9"}
    ).figure()
    bar = figure["data"][0]["marker"]["colorbar"]
    assert (bar["tickvals"], bar["ticktext"]) == ([0, 1], ["0", "9"])


@pytest.mark.parametrize("top", [0.0004, 0.07, 1.0, 3.7, 113.8, 5000.0])
def test_the_ticks_of_neighbors_are_few_and_round(top: float) -> None:
    spec = bars({"a": top}, x="t", printed=".1f")
    ticks = spec["layer"][0]["encoding"]["x"]["axis"]["values"]
    assert ticks[0] == 0
    assert ticks[-1] <= top * (1 + 1e-9)
    assert 3 <= len(ticks) <= 6


def test_charts_say_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="has 1 values, there are 2 labels"):
        bars({"": [1.0]}, labels=["a", "b"], x="t")
    with pytest.raises(ValueError, match="'measured' has 2 places and 1 values"):
        fitted_curve_chart(([1, 2], [1.0]), ([], []), x="x", y="y")
