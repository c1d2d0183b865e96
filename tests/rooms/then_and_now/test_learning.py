"""What one switch does, and several at once, from seeds that were not the example's: three of them in each training."""

import pytest

from core.rooms.then_and_now import your_switches
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.counts import SEEDS
from tests.library.learning.once import ran

OTHERS = [10 * (seed + 1) for seed in SEEDS]


def trained(seed: int, *on: str) -> your_switches.Result:
    """The block of 2017 with these, to the end of its training."""
    n_step = your_switches.experiment.N_STEP
    run = ExperimentRun(ran("your-switches", seed, on=on), {"start": "2017", "on": on}, seed, n_step, n_step)
    return your_switches.compute(your_switches.Inputs(), run)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", OTHERS)
def test_rope_helps_from_any_seed_and_pre_norm_does_not(seed: int) -> None:
    assert trained(seed, "rope").together.mean < -0.25
    assert abs(trained(seed, "pre-norm").together.mean) < 0.12


@pytest.mark.measured("today/1-then-and-now", "How much will both together take off")
@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", OTHERS)
def test_rope_and_muon_do_more_than_either_and_less_than_both_added_up(seed: int) -> None:
    """Catches a training in which what is pressed second is lost, and words of gains that add up."""
    rope, muon, both = (trained(seed, *on) for on in (("rope",), ("muon",), ("rope", "muon")))
    assert both.together.mean < min(rope.together.mean, muon.together.mean) - 0.05
    assert both.together.mean > rope.together.mean + muon.together.mean + 0.03
    assert both.added.mean + 0.05 < both.together.mean < both.best.loss.mean - 0.03, "what the lesson asks for"
