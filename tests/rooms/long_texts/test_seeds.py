"""What the room and its lesson say in words is true of all three seeds that ship."""

import numpy as np
import pytest

from core.rooms.long_texts import by_position, needle, six_ways
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.several_seeds import N_SEED
from tests.library.learning.once import ran, remade

EVERY = run_experiment("long-texts-seeds")
every_seed = pytest.mark.parametrize("seed", range(N_SEED))


def run(seed: int) -> ExperimentRun:
    """The training of one of the seeds, as `long-texts` has it."""
    record = {
        name: array if name == "step" else array[:, seed] if name.startswith("curve.") else array[seed]
        for name, array in EVERY.record.items()
    }
    return ExperimentRun(record, EVERY.options, seed, EVERY.step, EVERY.n_step, name="long-texts")


def test_the_first_seed_is_the_example() -> None:
    """Catches a band that belongs to another training than the lines in it."""
    example = run_experiment("long-texts").record
    one = run(0).record
    assert one.keys() == example.keys()
    for name, array in example.items():
        np.testing.assert_array_equal(one[name], array, err_msg=name)


@pytest.mark.measured("today/3-long-texts", "What happens to the loss after position 64?")
@pytest.mark.measured("today/3-long-texts", "The model reads 512 tokens without further")
@pytest.mark.measured("today/3-long-texts", "After these 40 steps")
@pytest.mark.measured("today/3-long-texts", "Right after position 64, the window")
@every_seed
def test_what_is_said_of_the_loss(seed: int) -> None:
    """Catches words that hold for the example's seed alone: which clock is best, that a window loses little."""
    found = six_ways.compute(six_ways.Inputs(), run(seed))
    assert by_position.compute(by_position.Inputs(), run(seed)).past == ("slowly",)
    assert found.best in ("window", "sinks") and found.best_clock == found.best_tuned == "yarn"
    for way in ("plain", "ntk", "interpolation"):
        assert found.end[way] > max(found.inside + 0.9, found.end["yarn"] + 0.4)
    assert max(found.end["window"], found.end["sinks"]) < found.inside + 0.15, "a window loses little"
    stumble = float(found.losses("window")[4:6].mean()) - found.inside
    assert 0.1 < stumble < 0.5 and 0 < found.bump < 0.75 * stumble, "a small stumble; sinks mend only a part of it"
    assert all(found.tuned[way] < found.end[way] - 0.2 for way in found.tuned), "more steps help them all"
    assert found.tuned["interpolation"] > found.tuned["yarn"] + 0.3, "it still lags behind"
    low, high = found.ends("yarn")
    assert (low <= found.losses("yarn")).all() and (found.losses("yarn") <= high).all()


@pytest.mark.measured("today/3-long-texts", "The model reads texts of 512 tokens, with the clocks")
@pytest.mark.measured("today/3-long-texts", "Which way finds the most needles")
@every_seed
def test_what_is_said_of_needles(seed: int) -> None:
    """Catches words that hold for one seed alone: that YaRN finds most, and that sinks bring nothing back."""
    found = needle.compute(needle.Inputs(), run(seed))
    assert found.trained > 0.9 and found.longest["plain"] < 0.1
    assert 0.5 < found.found[0, 0, 1].mean() < 0.9, "more than half of them at twice the length"
    assert found.best == "yarn" and found.longest["yarn"] > 0.6
    assert abs(found.longest["sinks"] - found.longest["window"]) < 0.05
    for way in (4, 5):  # a window of 64, with sinks or without: of 512 tokens the last needle, and no older one
        assert found.found[way, 0, -1, :-1].max() < 0.2 and found.found[way, 0, -1, -1] > 0.8


@pytest.mark.full
def test_the_record_is_what_the_code_makes_now() -> None:
    remade("long-texts-seeds", 20, n_eval=5)


@pytest.mark.full
@pytest.mark.timeout(900)
def test_a_whole_training_comes_out_so_again() -> None:
    """Catches a change of what comes after the training: the readings, the needles, the steps on long texts."""
    again, then = ran("long-texts", 1), run(1).record
    for name in ("position.yarn", "tuned.position.yarn", "position.sinks"):
        np.testing.assert_allclose(again[name], then[name], atol=0.1, err_msg=name)
