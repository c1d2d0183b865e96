"""Trained at 64 and read at 512, on three seeds: what breaks, what mends it, and what further training changes."""

import numpy as np
import pytest

from core.rooms.long_texts import by_position, needle
from core.rooms.long_texts.experiments.long_texts import LongTexts, Options
from core.train.device import one_thread
from core.train.experiments.live import Live
from tests.counts import SEEDS


def trained(seed: int, n_step: int) -> Live:
    """A run of this seed, to its end."""
    with one_thread():
        running = LongTexts(Options(n_step=n_step), seed)
        while running.step < running.n_step:
            running.advance()
    return Live(running.record(), {"n_step": n_step}, seed, n_step, n_step)


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_clocks_windows_and_needles(seed: int) -> None:
    run = trained(seed, 660)
    loss, found = by_position.Result(run, "show"), needle.compute(needle.Inputs(), run)
    assert run.record["curve.found"][-1] > 0.8
    for way in ("plain", "ntk", "interpolation"):
        assert loss.end[way] > loss.end["yarn"] + 0.4 and found.longest[way] < 0.3
    assert loss.end["window"] < loss.end["yarn"] and loss.end["window"] < loss.inside + 0.2
    assert found.longest["yarn"] > 0.6 and found.longest["window"] < 0.35
    assert loss.best_tuned == "yarn" and loss.tuned["yarn"] < loss.end["yarn"] - 0.1
    assert loss.tuned["interpolation"] > loss.tuned["plain"]
    assert abs(loss.bump) < 0.2


@pytest.mark.full
def test_a_short_run_has_read_in_every_way_at_its_end() -> None:
    record = trained(0, 5).record
    names = [f"position.{way}" for way in needle.WAYS] + [f"tuned.position.{way}" for way in needle.CLOCKS]
    assert all(np.isfinite(record[name]).all() and record[name].shape == (32,) for name in names)
