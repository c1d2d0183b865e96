"""What the room of then and now says in words is true of the record that ships."""

import pytest

from core.rooms.then_and_now import two_blocks, your_switches
from core.rooms.then_and_now.compute.switches import STARTS, THEN, TODAY
from core.train import experiment


def found(start: str) -> two_blocks.Result:
    return two_blocks.compute(two_blocks.Inputs(start=start, guess="show"), experiment.run_of("all-switches"))


def test_rope_is_the_best_switch_of_the_block_of_2017() -> None:
    result = found(THEN)
    assert result.came.answer == "positions" and result.best.state == "rope"
    assert result.helping == ["RoPE", "Muon with a cosine", "grouped-query", "multi-query", "SwiGLU"]
    assert result.hurting == ["learned positions"]
    assert [round(result.of(one).loss.mean, 2) for one in ("rope", "muon")] == [-0.40, -0.28], "the lesson's figures"
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


def test_of_nine_gains_three_seeds_cannot_tell_whether_they_add_up() -> None:
    """Catches words that are surer than the record: each single gain brings its luck into the sum."""
    result = your_switches.compute(your_switches.Inputs(), experiment.run_of("your-switches"))
    assert len(result.states) == 9 and result.is_compared
    assert (result.verdict, result.sum_is, result.best.state) == ("helps", "same", "rope")
    assert result.added.mean < result.together.mean - 0.15 and result.added.error > 4 * result.together.error
