"""What the room and its lesson say in words that no other test holds: of three seeds, and of published sizes."""

import numpy as np
import pytest

from core.rooms.long_texts import by_position, cache_size, clocks, needle, six_ways
from core.rooms.long_texts.compute.reading_ways import FREQUENCY_WAYS, WAY_NAMES
from core.train.experiment import run_experiment
from core.train.experiments.several_seeds import N_SEED
from tests.rooms.long_texts.test_seeds import run

YARN, PLAIN, LAST = "yarn", "plain", six_ways.LAST


def end(way: str, *, tuned: bool = False) -> np.ndarray:
    """(seeds,) the loss in the last 64 positions."""
    found: np.ndarray = (
        run_experiment("long-texts-seeds").record[f"{'tuned.' if tuned else ''}position.{way}"][:, LAST].mean(1)
    )
    return found


@pytest.mark.measured("today/3-long-texts", "After these 40 steps")
def test_leaving_the_clocks_alone_comes_second_with_two_seeds_of_three() -> None:
    """Catches words that promise an order of the other three: only the best one is the same with all seeds."""
    tuned = {way: end(way, tuned=True) for way in FREQUENCY_WAYS}
    assert all((tuned[YARN] < values - 0.3).all() for way, values in tuned.items() if way != YARN)
    assert all((values < end(way) - 0.2).all() for way, values in tuned.items()), "the steps help all four"
    second = tuned[PLAIN] < np.minimum(tuned["interpolation"], tuned["ntk"])
    assert second.tolist() == [True, True, False]


@pytest.mark.measured("today/3-long-texts", "What happens to the loss after position 64?")
@pytest.mark.parametrize("seed", range(N_SEED))
def test_the_loss_rises_step_by_step_as_trained(seed: int) -> None:
    losses = six_ways.compute(six_ways.Inputs(), run(seed)).losses(PLAIN)
    quarters = losses.reshape(4, -1).mean(1)
    assert (np.diff(quarters) > 0.05).all()
    first = float(losses[by_position.N_INSIDE_BIN] - losses[: by_position.N_INSIDE_BIN].mean())
    assert first < 0.7 * (quarters[-1] - losses[: by_position.N_INSIDE_BIN].mean()), "and not all at once"


@pytest.mark.measured("today/3-long-texts", "The model reads texts of 512 tokens, with the clocks")
@pytest.mark.parametrize("seed", range(N_SEED))
def test_as_trained_even_the_nearest_needle_is_lost(seed: int) -> None:
    found = needle.compute(needle.Inputs(), run(seed))
    plain = found.found[list(WAY_NAMES).index(PLAIN), 0, -1]
    assert plain.mean() < 0.1 and plain[-1] < 0.3


@pytest.mark.measured("today/3-long-texts", "Right after position 64, the window")
@pytest.mark.parametrize("seed", range(N_SEED))
def test_sinks_make_the_windows_rise_smaller_and_do_not_end_it(seed: int) -> None:
    found = by_position.compute(by_position.Inputs(guess="show"), run(seed))
    rise = {way: found.after[way] - found.inside for way in ("window", "sinks")}
    assert 0 < rise["sinks"] < rise["window"]


@pytest.mark.parametrize("seed", range(N_SEED))
def test_what_the_first_picture_says(seed: int) -> None:
    """Catches a sentence or a guess's answer that holds for the shown seed alone."""
    found = by_position.compute(by_position.Inputs(guess="show"), run(seed))
    letters = {way: found.letters(way) for way in WAY_NAMES}
    assert letters[PLAIN][-1] > 2.5 * letters[PLAIN][0], "about three times as many"
    assert letters[YARN][-1] < 0.6 * letters[PLAIN][-1] and found.outcome is not None and found.outcome.answer == "most"
    assert letters["window"][-1] < letters[YARN][-1] and found.found["window"] < 0.3 < 0.7 < found.found[YARN]


def test_the_clocks_and_the_caches_figures() -> None:
    """Catches figures of the lesson's options that the exhibits no longer have."""
    found = clocks.compute(clocks.Inputs())
    assert (found.n_round, found.n_pair) == (5, 16) and found.slowest < 10
    assert 9 < found.turns[0] < 11, "the fastest goes round ten times"
    large = clocks.compute(clocks.Inputs(model="llama2"))
    assert large.trained == 4096 and 0 < large.n_round < large.n_pair
    cache = cache_size.compute(cache_size.Inputs())
    assert 3.5e9 < cache.end["grouped"] < 5e9 and cache.end["full"] == 4 * cache.end["grouped"]
