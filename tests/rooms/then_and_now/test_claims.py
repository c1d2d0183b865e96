"""What the room of then and now says in words is true of the record that ships."""

import pytest

from core.rooms.then_and_now import one_switch, two_blocks
from core.rooms.then_and_now.compute.switches import STARTS, THEN, TODAY
from core.train import experiment


def found(start: str) -> two_blocks.Result:
    return two_blocks.compute(two_blocks.Inputs(start=start, guess="show"), experiment.run_of("all-switches"))


def test_rope_is_the_best_switch_of_the_block_of_2017() -> None:
    result = found(THEN)
    assert result.came.answer == "positions" and result.best.state == "rope"
    assert result.helping == ["RoPE", "Muon with a cosine", "grouped-query", "multi-query", "SwiGLU"]
    assert result.hurting == ["learned positions"]
    assert {"pre-norm", "RMSNorm", "no biases", "q/k norm", "untied output layer"} <= set(result.untold)


def test_all_nine_do_no_better_than_rope_alone() -> None:
    result = found(THEN)
    assert abs(result.gap + result.best.loss.mean) <= result.noise


def test_todays_block_falls_back_furthest_without_rope() -> None:
    worst = found(TODAY).effects[::-1]
    assert [one.state for one in worst[:2]] == ["learned", "sinusoidal"]
    assert worst[0].loss.mean > 5 * found(TODAY).noise


@pytest.mark.parametrize("start", STARTS)
def test_each_switch_is_told_as_one_of_three(start: str) -> None:
    result = found(start)
    assert len(result.helping) + len(result.hurting) + len(result.untold) == len(result.effects) == 13


def test_the_live_example_is_within_the_noise() -> None:
    result = one_switch.compute(one_switch.Inputs(), experiment.run_of("one-switch"))
    assert (result.state, result.verdict) == ("pre-norm", "noise")
