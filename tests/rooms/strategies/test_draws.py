"""Draws against probabilities, what the knobs can do, and both as tables: closed forms, scipy, definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from core.models import registry
from core.rooms.strategies import spelling, thousand
from core.rooms.strategies.compute.columns import KNOBS, Strategy
from core.rooms.strategies.crossing import FIVE_PROBABILITIES, compare_top_p_rules
from core.rooms.strategies.side_by_side import write_columns
from core.rooms.strategies.temperature import sweep_temperatures
from tests.configs import gpt


def test_a_hundred_thousand_draws_pass_the_test_and_wrong_ones_fail() -> None:
    probabilities = np.random.default_rng(0).dirichlet(np.full(50, 0.4))
    found = thousand.draw_many(probabilities, 100_000, seed=0)
    assert found.counts.sum() == 100_000
    assert found.p_value > 1e-3
    assert found.inside.mean() > 0.9
    wrong = thousand.chi_square_test(found.counts, np.roll(probabilities, 1))
    assert wrong[2] < 1e-6


def test_p_values_are_uniform() -> None:
    values = [thousand.draw_many(np.array(FIVE_PROBABILITIES), 1_000, seed).p_value for seed in range(300)]
    scipy_stats = pytest.importorskip("scipy.stats")
    assert scipy_stats.kstest(values, "uniform").pvalue > 1e-3


def test_chi_square_is_scipys() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    counts, probabilities = np.array([480, 270, 120, 70, 60]), np.array(FIVE_PROBABILITIES)
    want = scipy_stats.chisquare(counts, probabilities * 1000)
    got = thousand.chi_square_test(counts, probabilities)
    assert got[0] == pytest.approx(want.statistic) and got[1] == 5 and got[2] == pytest.approx(want.pvalue)


def test_rare_tokens_share_a_cell_and_one_cell_proves_nothing() -> None:
    probabilities = np.array([0.6, 0.396, 0.002, 0.001, 0.001])
    statistic, cells, _ = thousand.chi_square_test(np.array([590, 406, 4, 0, 0]), probabilities)
    assert cells == 2 and statistic == pytest.approx(10**2 / 600 + 10**2 / 400)
    assert math.isnan(thousand.chi_square_test(np.array([0, 100]), np.array([0.0, 1.0]))[2])
    assert thousand.chi_square_test(np.array([1, 99]), np.array([0.0, 1.0]))[0] == math.inf


def test_wilson_by_hand_and_at_the_ends() -> None:
    low, high = thousand.wilson_interval(np.array([0, 50, 100]), 100)
    z2 = 1.959964**2
    assert low[0] == 0 and high[2] == 1
    assert high[0] == pytest.approx(z2 / (100 + z2)) and low[2] == pytest.approx(100 / (100 + z2))
    assert (low[1], high[1]) == pytest.approx((0.4038, 0.5962), abs=1e-4)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    inside = [thousand.draw_many(np.array([0.3, 0.7]), 500, seed).inside[0] for seed in range(400)]
    assert 0.92 < np.mean(inside) < 0.98


def test_draws_are_those_of_decode_and_only_of_possible_tokens() -> None:
    a, b = (thousand.draw_many(np.array([0.0, 0.5, 0.0, 0.5]), 1000, seed=3) for _ in range(2))
    assert np.array_equal(a.counts, b.counts) and a.counts[[0, 2]].sum() == 0
    u = torch.rand(1000, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    assert a.counts[1] == int((u < 0.5).sum())
    large = np.full(30_000, 1 / 30_000)  # computed in parts
    assert thousand.draw_many(large, 200, seed=0).counts.sum() == 200


def test_temperature_removes_nothing_until_the_numbers_give_out() -> None:
    logits = np.linspace(0, 20, 50).astype(np.float32)
    found = sweep_temperatures(logits, [0.01, 0.1, 1.0, 100.0], 0.9)
    assert found.left.tolist()[1:] == [50, 50, 50] and found.left_32[1] < 50  # e^-200 is too small for 32 bits
    assert found.left[0] < 50
    assert found.smallest[1] == pytest.approx(math.exp(-200), rel=1e-3)
    assert (np.diff(found.entropy) > 0).all() and (np.diff(found.top) < 0).all()
    assert (np.diff(found.left_top_p) >= 0).all()


def test_limits_of_temperature() -> None:
    logits = np.array([1.0, 2.0, 0.5, -1.0], dtype=np.float32)
    found = sweep_temperatures(logits, [0.001, 1e6], 0.9)
    assert found.from_greedy[0] < 1e-12 and found.from_uniform[1] < 1e-5
    assert found.entropy[1] == pytest.approx(math.log(4))
    with pytest.raises(ValueError, match="choose greedy"):
        sweep_temperatures(logits, [0.0], 0.9)


@pytest.mark.parametrize(
    ("p", "right", "few", "many"), [(0.75, 2, 1, 3), (0.5, 1, 0, 2), (0.875, 3, 2, 4), (0.76, 3, 2, 3), (0.3, 1, 0, 1)]
)
def test_three_rules_of_top_p(p: float, right: int, few: int, many: int) -> None:
    found = compare_top_p_rules(FIVE_PROBABILITIES, p)
    assert (found.right.sum(), found.too_few.sum(), found.too_many.sum()) == (right, few, many)


def test_the_right_rule_is_the_definition_in_exact_numbers() -> None:
    exact = [Fraction(one) for one in FIVE_PROBABILITIES]
    for hundredth in range(1, 101):
        p = Fraction(hundredth, 100)
        fewest = next(n for n in range(1, 6) if sum(exact[:n]) >= p)
        assert compare_top_p_rules(FIVE_PROBABILITIES, hundredth / 100).right.tolist() == [i < fewest for i in range(5)]


LOGITS = np.array([1.0, 3.0, 0.0, 2.0], dtype=np.float32)


def test_what_a_strategy_draws_from() -> None:
    softmax = np.exp(LOGITS.astype(np.float64)) / np.exp(LOGITS.astype(np.float64)).sum()
    np.testing.assert_allclose(thousand.strategy_probabilities(LOGITS, Strategy(), [0]), softmax)
    assert thousand.strategy_probabilities(LOGITS, Strategy(kind="greedy"), [0]).tolist() == [0, 1, 0, 0]
    assert thousand.strategy_probabilities(
        LOGITS, Strategy(kind="greedy", knobs=(("no_repeat_ngram", 1),)), [1]
    ).tolist() == [
        0,
        0,
        0,
        1,
    ]


def test_draws_as_a_table() -> None:
    table = thousand.compute(thousand.Inputs(strategies=("softmax", "greedy"), n=100)).table()
    drawn, low, high = (table[f"sampling: {name}"] for name in ("drawn of 100", "95% from", "95% to"))
    assert drawn.sum() == 100 and table["greedy: drawn of 100"].tolist()[:2] == [100, 0]
    assert (np.diff(table["sampling: probability"]) <= 0).all()
    assert (low <= drawn / 100).all() and (drawn / 100 <= high).all()


def test_columns_as_a_table_without_times() -> None:
    sizes = {"vocab_size": 9, "context_length": 16, "n_layer": 1, "n_head": 2, "d_model": 8}
    model = registry.build(gpt(**sizes), seed=0).eval()
    strategies = [Strategy(kind="greedy"), Strategy(kind="beam", n_beam=2), Strategy(knobs=(("top_k", 3),), seed=2)]
    written = write_columns(model, [1, 2], strategies, 4)
    table = written.table()
    assert table["strategy"] == ["greedy", "beam 2", "top-k 3"]
    assert table["numbers looked at"] == [36, 9 + 3 * 18, 36] and table["passes of the network"] == [4, 4, 4]
    ids = [1, 2, *written.columns[0].tokens.tolist()]
    log_probs = model(torch.tensor([ids]))[0].log_softmax(-1).detach()
    expected = np.mean([float(log_probs[t - 1, ids[t]]) for t in range(2, 6)])
    assert table["mean log-probability"][0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "title"),
    [("greedy", "greedy"), ("softmaxs7", "sampling"), ("t2p0.9", "temperature 2, top-p 0.9"),
     ("beam3l0", "beam 3, length penalty 0"), ("greedyr2", "greedy, repetition penalty 2"), ("beam4", "beam 4")],
)  # fmt: skip
def test_a_strategy_has_a_title(text: str, title: str) -> None:
    assert spelling.parse_column(text).strategy.title == title


def test_every_knob_has_its_own_title() -> None:
    assert len({knob.title for knob in KNOBS.values()}) == len(KNOBS)
