"""What the room of strategies says under “Try this” happens on the shipped model, with its own text."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.model_and_text import ModelAndText
from core.rooms.strategies import microscope, side_by_side, spelling, temperature, thousand
from core.rooms.strategies.compute import columns, sampling_sweeps
from core.rooms.strategies.compute.side_by_side import write_columns
from core.ui.models import models
from core.ui.models.models import SENTENCES, SHIPPED
from core.ui.models.place_in_text import first_place, next_logits

pytestmark = pytest.mark.skipif(
    not (SHIPPED / "stories" / models.WEIGHTS).exists(), reason="the shipped model is not in this checkout"
)


@pytest.fixture(scope="module")
def looked() -> ModelAndText:
    key = models.shipped_key("stories")
    return ModelAndText(key, models.encode(key, SENTENCES["stories"]))


@pytest.fixture(scope="module")
def packed_place(looked: ModelAndText) -> str:
    return ",".join(map(str, looked.encoded.ids[: first_place(looked)]))


def test_temperature_2_derails_with_every_seed_and_cutting_the_tail_helps(looked: ModelAndText) -> None:
    ways = [f"{name}s{seed}" if seed else name for name in ("t2", "t2k5", "t2p0.9") for seed in range(20)]
    strategies = [spelling.parse_column(way).strategy for way in ways]
    result = write_columns(models.load(looked.key).model, looked.encoded.ids, strategies, 40)
    derailed = [bool((one.rank > 10).any()) for one in result.columns]  # not among the model's 10 favorites
    assert [sum(derailed[n : n + 20]) for n in (0, 20, 40)] == [20, 0, 11]
    mean = [np.mean([one.mean_log_prob for one in result.columns[n : n + 20]]) for n in (0, 20, 40)]
    assert mean[0] < -2 < mean[2] < mean[1]


def test_columns_2_to_5_draw_with_the_same_numbers(looked: ModelAndText) -> None:
    result = side_by_side.written(looked.key, looked.encoded.packed, side_by_side.DEFAULT, 40)
    assert all(np.array_equal(result.columns[1].draws, one.draws) for one in result.columns[2:5])


def test_new_seeds_move_what_draws_and_nothing_else(looked: ModelAndText) -> None:
    again = side_by_side.written(looked.key, looked.encoded.packed, "greedy~softmaxs1~t2x~t2k5s1~t2p0.9s1~beam4", 40)
    before = side_by_side.written(looked.key, looked.encoded.packed, side_by_side.DEFAULT, 40)
    same = [np.array_equal(a.tokens, b.tokens) for a, b in zip(before.columns, again.columns, strict=True)]
    assert same == [True, False, True, False, False, True]


def test_counts_of_the_lecture(looked: ModelAndText) -> None:
    result = side_by_side.written(looked.key, looked.encoded.packed, side_by_side.DEFAULT, 40)
    v = len(models.vocabulary(looked.key))
    assert [one.cost.numbers for one in result.columns[:5]] == [v * 40] * 5
    assert [one.cost.rows for one in result.columns] == [40] * 5 + [1 + 39 * 4]  # one for each step and text
    assert result.columns[5].cost.numbers == v * (1 + 4 * 39) < 4 * v * 40
    parameters: Any = models.load(looked.key).model.parameters()
    assert sum(one.numel() for one in parameters) > 100 * v  # the network's multiply-adds for one token


def test_the_step_opens_where_both_knobs_show(looked: ModelAndText, packed_place: str) -> None:
    logits = next_logits(looked.key, packed_place)
    rows = columns.filter_rows(
        torch.tensor(logits)[None], [spelling.parse_column(microscope.DEFAULT).strategy], [models.unpack(packed_place)]
    )
    assert 5 < int((rows > -math.inf).sum()) < 100


def test_temperature_merges_into_greedy_and_uniform(looked: ModelAndText, packed_place: str) -> None:
    told = temperature.swept(looked.key, packed_place, temperature.TOLD, 0.9)
    v = len(models.vocabulary(looked.key))
    at = temperature.TOLD.index
    assert told.left[at(0.1)] == v > told.left_32[at(0.1)] and told.left[at(0.01)] < v
    assert told.from_greedy[at(0.01)] < 1e-6 and told.from_uniform[at(100.0)] < 0.03
    assert temperature.swept(looked.key, packed_place, (10_000.0,), 0.9).from_uniform[0] < 0.0003
    curve = temperature.swept(looked.key, packed_place, temperature.GRID, 0.9)
    assert (np.diff(curve.left_top_p) >= 0).all()  # the flatter, the more top-p keeps
    one = thousand.drawn(looked.key, packed_place, "t0.05", 1000, 0)
    greedy = thousand.drawn(looked.key, packed_place, "greedy", 1000, 0)
    assert np.array_equal(one.counts, greedy.counts)


def test_lines_shrink_to_a_tenth(looked: ModelAndText, packed_place: str) -> None:
    few, many = (thousand.drawn(looked.key, packed_place, "softmax", n, 0) for n in (100, 10_000))
    widest = int(many.counts.argmax())
    ratio = (many.high - many.low)[widest] / (few.high - few.low)[widest]
    assert 0.08 < ratio < 0.12


def test_p_values_and_lines_miss_as_often_as_they_say(looked: ModelAndText, packed_place: str) -> None:
    favorites = np.argsort(-next_logits(looked.key, packed_place), kind="stable")[: thousand.N_SHOWN]
    found = [
        thousand.drawn(looked.key, packed_place, way, 1000, seed)
        for seed in range(100)
        for way in ("softmax", "t2", "p0.9")
    ]
    outside = np.mean([~one.inside[favorites] for one in found])
    assert 0.03 < outside < 0.06  # "of 20 lines about one misses"
    assert 0.03 < np.mean([one.p_value < 0.05 for one in found]) < 0.08  # "about one seed in twenty"
    assert "p = 0.026: chance takes about 26 of 1,000" in thousand._what_p_says([0.4, 0.026])
    assert "p =" not in thousand._what_p_says([1e-9, 0.3]) and "p =" not in thousand._what_p_says([1e-9])


def test_the_order_of_the_knobs_here(looked: ModelAndText, packed_place: str) -> None:
    logits = next_logits(looked.key, packed_place)

    def left(t: float) -> tuple[int, int]:
        found = sampling_sweeps.both_orders(logits, t, 0.9)
        return int((found.temperature_first > 0).sum()), int((found.top_p_first > 0).sum())

    hot, cold, plain = left(3.0), left(0.5), left(1.0)
    assert hot[0] > hot[1] == cold[1] == plain[1] == plain[0] and cold[0] <= cold[1]
