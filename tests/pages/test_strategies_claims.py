"""What the room of strategies says under “Try this” happens on the shipped model, with its own text."""

import math
from typing import Any

import numpy as np
import pytest

from core.exhibits.next_token import first_place, next_logits
from core.exhibits.strategies import microscope, side_by_side, spelling, temperature, thousand
from core.generate import columns
from core.inspect import knobs
from core.ui import models
from core.ui.looking import Looked
from core.ui.models import SENTENCES, SHIPPED

pytestmark = pytest.mark.skipif(
    not (SHIPPED / "stories" / models.WEIGHTS).exists(), reason="the shipped model is not in this checkout"
)


@pytest.fixture(scope="module")
def looked() -> Looked:
    key = models.shipped_key("stories")
    return Looked(key, models.encode(key, SENTENCES["stories"]))


@pytest.fixture(scope="module")
def texts(looked: Looked) -> dict[str, str]:
    result = side_by_side.written(looked.key, looked.encoded.packed, side_by_side.DEFAULT, 40)
    vocabulary = models.vocabulary(looked.key)
    names = side_by_side.DEFAULT.split("~")
    return {name: "".join(vocabulary[i] for i in one.tokens) for name, one in zip(names, result.columns, strict=True)}


@pytest.fixture(scope="module")
def packed_place(looked: Looked) -> str:
    return ",".join(map(str, looked.encoded.ids[: first_place(looked)]))


def test_temperature_2_derails_at_once_and_cutting_the_tail_mends_it(texts: dict[str, str], looked: Looked) -> None:
    assert not texts["t2"].startswith("␣Mia!")
    first = [texts[name][:5] for name in ("greedy", "softmax", "t2k5", "t2p0.9")]
    assert len(set(first)) == 1 and "Mia!" in first[0]
    result = side_by_side.written(looked.key, looked.encoded.packed, side_by_side.DEFAULT, 40)
    softmax, hot, k5, p9 = (result.columns[c] for c in (1, 2, 3, 4))
    assert hot.rank[0] > 10 and hot.mean_log_prob < -1 < 4 * min(k5.mean_log_prob, p9.mean_log_prob)
    assert np.array_equal(softmax.draws, hot.draws) and np.array_equal(k5.draws, p9.draws)


def test_new_seeds_move_what_draws_and_nothing_else(looked: Looked, texts: dict[str, str]) -> None:
    again = side_by_side.written(looked.key, looked.encoded.packed, "greedy~softmaxs1~t2x~t2k5s1~t2p0.9s1~beam4", 40)
    before = side_by_side.written(looked.key, looked.encoded.packed, side_by_side.DEFAULT, 40)
    same = [np.array_equal(a.tokens, b.tokens) for a, b in zip(before.columns, again.columns, strict=True)]
    assert same == [True, False, True, False, False, True]


def test_counts_of_the_lecture(looked: Looked) -> None:
    result = side_by_side.written(looked.key, looked.encoded.packed, side_by_side.DEFAULT, 40)
    v = len(models.vocabulary(looked.key))
    assert [one.cost.numbers for one in result.columns[:5]] == [v * 40] * 5
    assert result.columns[5].cost.numbers == v * (1 + 4 * 39) < 4 * v * 40
    parameters: Any = models.load(looked.key).model.parameters()
    assert sum(one.numel() for one in parameters) > 100 * v  # the network's multiply-adds for one token


def test_the_step_opens_where_both_knobs_show(looked: Looked, packed_place: str) -> None:
    logits = next_logits(looked.key, packed_place)
    rows = columns.filter_rows(
        models_row(logits), [spelling.parse_column(microscope.DEFAULT).strategy], [models.unpack(packed_place)]
    )
    assert 5 < int((rows > -math.inf).sum()) < 100


def models_row(logits: np.ndarray) -> Any:
    import torch

    return torch.tensor(logits)[None]


def test_temperature_merges_into_greedy_and_uniform(looked: Looked, packed_place: str) -> None:
    told = temperature.swept(looked.key, packed_place, temperature.TOLD, 0.9)
    v = len(models.vocabulary(looked.key))
    at = temperature.TOLD.index
    assert told.left[at(0.1)] == v > told.left_32[at(0.1)] and told.left[at(0.01)] < v
    assert told.from_greedy[at(0.01)] < 1e-6 and told.from_uniform[at(100.0)] < 0.02
    curve = temperature.swept(looked.key, packed_place, temperature.GRID, 0.9)
    assert (np.diff(curve.left_top_p) >= 0).all()  # the flatter, the more top-p keeps
    one = thousand.drawn(looked.key, packed_place, "t0.05", 1000, 0)
    greedy = thousand.drawn(looked.key, packed_place, "greedy", 1000, 0)
    assert np.array_equal(one.counts, greedy.counts)


def test_lines_shrink_to_a_tenth(looked: Looked, packed_place: str) -> None:
    few, many = (thousand.drawn(looked.key, packed_place, "softmax", n, 0) for n in (100, 10_000))
    widest = int(many.counts.argmax())
    ratio = (many.high - many.low)[widest] / (few.high - few.low)[widest]
    assert 0.08 < ratio < 0.12
    inside = [thousand.drawn(looked.key, packed_place, "softmax", 1000, seed).p_value for seed in range(20)]
    assert 0.2 < np.median(inside) < 0.8


def test_the_order_of_the_knobs_here(looked: Looked, packed_place: str) -> None:
    logits = next_logits(looked.key, packed_place)

    def left(t: float) -> tuple[int, int]:
        found = knobs.both_orders(logits, t, 0.9)
        return int((found.temperature_first > 0).sum()), int((found.top_p_first > 0).sum())

    hot, cold, plain = left(3.0), left(0.5), left(1.0)
    assert hot[0] > hot[1] == cold[1] == plain[1] == plain[0] and cold[0] <= cold[1]
