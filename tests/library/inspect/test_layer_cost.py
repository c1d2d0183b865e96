"""The cost of a layer: the counts against torch's own counter and against the layer's real tensors, and the fit."""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core.inspect.costs import layer_cost
from core.inspect.costs.layer_cost import LayerTiming
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block
from core.nn.tap import Trace


def counted(layer: torch.nn.Module, n_token: int, d_model: int) -> int:
    """torch counts a multiply-add as two operations."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        layer(torch.zeros(1, n_token, d_model))
    assert counter.get_total_flops() % 2 == 0
    return int(counter.get_total_flops()) // 2


@pytest.mark.parametrize(("n", "d", "h"), [(1, 8, 2), (7, 16, 4), (64, 32, 1), (100, 96, 8)])
def test_multiply_adds_are_those_that_torch_counts(n: int, d: int, h: int) -> None:
    assert layer_cost.layer_cost(n, d, h).total == counted(Block(d, h), n, d)
    assert layer_cost.layer_cost(n, d, h, d_ff=0).total == counted(MultiHeadAttention(d, h), n, d)
    assert layer_cost.layer_cost(n, d, h, d_ff=3 * d).total == counted(Block(d, h, d_ff=3 * d), n, d)


@pytest.mark.parametrize(("d", "at"), [(64, 384), (768, 4608)])
def test_pairs_overtake_everything_else_at_six_times_the_width(d: int, at: int) -> None:
    assert layer_cost.crossover_length(d) == at
    before, here, after = (layer_cost.layer_cost(n, d, 4) for n in (at - 1, at, at + 1))
    assert before.quadratic < before.linear and here.quadratic == here.linear and after.quadratic > after.linear
    alone = layer_cost.layer_cost(int(layer_cost.crossover_length(d, 0)), d, 4, d_ff=0)
    assert alone.linear == alone.quadratic


def test_the_numbers_held_are_those_that_the_taps_see() -> None:
    n, d, h = 9, 16, 2
    block = Block(d, h, d_ff=48)
    with torch.no_grad(), Trace(block) as trace:
        block(torch.zeros(1, n, d))
    made = {key: trace[key].numel() for key in trace if not key.startswith("resid")}
    held = layer_cost.layer_cost(n, d, h, d_ff=48)
    assert held.pair_numbers == made["attn.scores"] + made["attn.weights"]
    assert held.token_numbers == sum(made.values()) - held.pair_numbers
    assert held.weight_numbers == sum(p.numel() for p in block.parameters() if p.ndim == 2)


def test_a_curve_without_noise_is_found_again() -> None:
    timings = [LayerTiming(n, 1e-4 + 2e-6 * n + 3e-9 * n**2, 5) for n in (16, 64, 256, 1024, 2048)]
    found = layer_cost.fit_timings(timings)
    assert (found.fixed, found.per_token, found.per_pair) == pytest.approx((1e-4, 2e-6, 3e-9), rel=1e-6)
    assert found.error < 1e-9
    assert found.crossover == pytest.approx(2e-6 / 3e-9, rel=1e-6)
    assert found.seconds(100) == pytest.approx(1e-4 + 2e-4 + 3e-5)


def test_no_term_is_negative_and_no_other_such_curve_is_nearer() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        timings = [LayerTiming(n, float(rng.uniform(0.2, 5) * 1e-6 * n), 3) for n in (16, 32, 64, 128, 256, 512)]
        found = layer_cost.fit_timings(timings)
        assert min(found.fixed, found.per_token, found.per_pair) >= 0
        for _ in range(50):
            terms = np.array([found.fixed, found.per_token, found.per_pair])
            near = layer_cost.TimingFit(*(terms * rng.uniform(0.8, 1.25, 3) + rng.uniform(0, 1e-9, 3)), error=0)
            ratios = np.array([near.seconds(timing.n_token) / timing.seconds for timing in timings])
            assert np.sqrt(np.mean((ratios - 1) ** 2)) >= found.error - 1e-12


def test_a_straight_line_has_no_crossing() -> None:
    found = layer_cost.fit_timings([LayerTiming(n, 1e-6 * n, 3) for n in (16, 64, 256, 1024)])
    assert found.per_pair == pytest.approx(0, abs=1e-14)
    assert found.crossover > 1e6
    with pytest.raises(ValueError, match="three lengths are needed for a curve of three terms; 2 were measured"):
        layer_cost.fit_timings([LayerTiming(1, 1.0, 3), LayerTiming(2, 2.0, 3)])


@pytest.mark.parametrize("whole_block", [True, False])
def test_a_measurement_keeps_to_its_time_and_its_lengths(whole_block: bool) -> None:
    rounds = list(layer_cost.time_layer_by_length(16, 2, [16, 32, 64, 128], whole_block=whole_block, seconds=0.2))
    assert rounds[0][0].n_repeat == 1
    assert [one.n_token for one in rounds[-1]] == [16, 32, 64, 128][: len(rounds[-1])]
    assert rounds[-1][0].n_repeat == len(rounds)
    assert all(one.seconds > 0 for one in rounds[-1])


def test_what_does_not_fit_into_memory_is_not_measured() -> None:
    assert max(layer_cost.lengths_to_measure(4)) == 2048
    assert (min(layer_cost.lengths_to_measure(1)), max(layer_cost.lengths_to_measure(1))) == (16, 4096)
    assert max(layer_cost.lengths_to_measure(16)) == 1024
    with pytest.raises(ValueError, match="16 heads of 2048 x 2048 cells are 67,108,864, more than the 16,777,216"):
        next(layer_cost.time_layer_by_length(16, 16, [2048], whole_block=True))


def test_the_table_holds_each_length_once_with_its_bytes_and_its_times() -> None:
    timings = [LayerTiming(n, 1e-4 * n, 3) for n in (16, 48, 100)]
    table = layer_cost.layer_cost_by_length(8, 2, timings=timings)
    assert table["length"] == sorted({*layer_cost.TABLE_LENGTHS, 48, 100}) and max(table["length"]) == 2**16
    for i, n in enumerate(table["length"]):
        cost = layer_cost.layer_cost(n, 8, 2)
        parts = [table[name][i] for name in ("projections", "feed-forward", "scores", "mixture")]
        assert parts == [cost.projections, cost.feed_forward, cost.scores, cost.mixture]
        held = [table[f"bytes of {name}"][i] for name in ("pairs", "tokens", "weights")]
        assert held == [4 * cost.pair_numbers, 4 * cost.token_numbers, 4 * cost.weight_numbers]
        told = [table["measured ms"][i], table["fitted ms"][i]]
        assert told == (pytest.approx([0.1 * n] * 2, rel=1e-6) if n in (16, 48, 100) else [None] * 2)
    assert layer_cost.layer_cost_by_length(8, 2, timings=timings[:2])["fitted ms"] == [None] * 14
