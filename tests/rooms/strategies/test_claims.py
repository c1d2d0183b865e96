"""What the room of strategies says under “Try this” happens on the shipped model, with its own text."""

from typing import Any

import numpy as np

from core.rooms.strategies import order, side_by_side, spelling, temperature, thousand
from core.rooms.strategies.inputs import PromptPlace
from core.rooms.strategies.side_by_side import SideBySide
from core.rooms.strategies.thousand import DrawCounts

HERE = PromptPlace()


def written(text: str = side_by_side.DEFAULT_COLUMNS) -> SideBySide:
    return side_by_side.compute(side_by_side.Inputs(columns=text))


def drawn(name: str, **inputs: Any) -> DrawCounts:
    (found,) = thousand.compute(thousand.Inputs(strategies=(name,), **inputs)).found.values()
    return found


def test_temperature_2_derails_with_every_seed_and_cutting_the_tail_helps() -> None:
    for name, n_derailed, low, high in (("t2", 20, -9, -2), ("t2k5", 0, -1.2, 0), ("t2p0.9", 11, -2, -1)):
        strategies = [spelling.parse_column(f"{name}s{seed}").strategy for seed in range(20)]
        found = side_by_side.write_columns(HERE.given.model, HERE.given.ids, strategies, 40).columns
        assert sum((one.rank > 10).any() for one in found) == n_derailed  # not among the model's 10 favorites
        assert low < np.mean([one.mean_log_prob for one in found]) < high


def test_columns_2_to_5_draw_with_the_same_numbers_and_new_seeds_move_what_draws_and_nothing_else() -> None:
    before, after = written(), written("greedy~softmaxs1~t2x~t2k5s1~t2p0.9s1~beam4")
    assert all(np.array_equal(before.columns[1].draws, one.draws) for one in before.columns[2:5])
    same = [np.array_equal(a.tokens, b.tokens) for a, b in zip(before.columns, after.columns, strict=True)]
    assert same == [True, False, True, False, False, True]


def test_counts_of_the_lecture() -> None:
    costs, v = [one.cost for one in written().columns], len(HERE.vocabulary)
    assert [cost.numbers for cost in costs[:5]] == [v * 40] * 5
    assert [cost.rows for cost in costs] == [40] * 5 + [1 + 39 * 4]  # one for each step and text
    assert costs[5].numbers == v * (1 + 4 * 39) < 4 * v * 40
    assert sum(one.numel() for one in HERE.given.model.parameters()) > 100 * v  # the multiply-adds for one token


def test_temperature_merges_into_greedy_and_uniform() -> None:
    found, v = temperature.sweep_temperatures(HERE.logits, (0.01, 0.1, 100.0, 10_000.0), 0.9), len(HERE.vocabulary)
    assert found.left[1] == v > found.left_32[1] and found.left[0] < v
    assert found.from_greedy[0] < 1e-6 and found.from_uniform[2] < 0.03 and found.from_uniform[3] < 0.0003
    curve = temperature.compute(temperature.Inputs())
    assert (np.diff(curve.left_top_p) >= 0).all()  # the flatter, the more top-p keeps
    assert np.array_equal(drawn("temperature", t=0.05).counts, drawn("greedy").counts)


def test_lines_shrink_to_a_tenth() -> None:
    few, many = (drawn("softmax", n=n) for n in (100, 10_000))
    widest = int(many.counts.argmax())
    assert 0.08 < (many.high - many.low)[widest] / (few.high - few.low)[widest] < 0.12


def test_p_values_and_lines_miss_as_often_as_they_say() -> None:
    favorites = np.argsort(-HERE.logits, kind="stable")[: thousand.N_SHOWN]
    found = [one for seed in range(100) for one in thousand.compute(thousand.Inputs(seed=seed)).found.values()]
    outside = np.mean([~one.inside[favorites] for one in found])
    assert 0.03 < outside < 0.06  # "of 20 lines about one misses"
    assert 0.03 < np.mean([one.p_value < 0.05 for one in found]) < 0.08  # "about one seed in twenty"


def test_the_order_of_the_knobs_here() -> None:
    hot, cold, plain = (order.compute(order.Inputs(t=t)).n_left for t in (3.0, 0.5, 1.0))
    assert hot[0] > hot[1] == cold[1] == plain[1] == plain[0] and cold[0] <= cold[1]


def test_what_the_chips_of_the_texts_set_does_what_they_say() -> None:
    above_and_below = written("t2~t2s1~t2s2~t2k5~t2k5s1~t2k5s2").columns
    assert [bool((one.rank > 10).any()) for one in above_and_below] == [True] * 3 + [False] * 3
    hot, cold = (written(name).columns[0].plain for name in ("t2", "t0.5"))
    assert -np.log(cold).mean() < 0.2 < 2 < -np.log(hot).mean()  # "nearly no surprise is left"


def test_ten_times_the_draws_shrink_the_lines_to_a_third() -> None:
    few, many = (drawn("softmax", n=n) for n in (1_000, 10_000))
    widest = int(many.counts.argmax())
    assert 0.28 < (many.high - many.low)[widest] / (few.high - few.low)[widest] < 0.36
