"""The contest of positions: who fetches from an exact place, who goes on beyond the trained length, on three seeds."""

import numpy as np
import pytest

from core.nn.positions import POSITION_SCHEMES
from core.rooms.positions.experiments.contest import TRAINED, Contest, Options
from core.train.device import single_torch_thread
from tests.counts import SEEDS


def accuracies(options: Options, seed: int) -> dict[str, tuple[float, float]]:
    """For each scheme: within the trained length, and in as many tokens after it."""
    with single_torch_thread():
        running = Contest(options, seed)
        while running.step < running.n_step:
            running.advance()
        found = running.record()
    parts = {name: found[f"position.{name}"] for name in POSITION_SCHEMES}
    assert np.isnan(parts["learned"][TRAINED:]).all()  # the table has no such row
    return {
        name: (float(np.nanmean(at[:TRAINED])), float(np.nan_to_num(at[TRAINED : 2 * TRAINED]).mean()))
        for name, at in parts.items()
    }


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_fetching_from_an_exact_place(seed: int) -> None:
    found = accuracies(Options(task="back"), seed)
    for name in ("learned", "sinusoidal", "rotary", "relative"):
        assert found[name][0] > 0.97, name
    for name in ("none", "alibi"):
        assert 0.15 < found[name][0] < 0.5, name
    assert found["relative"][1] > 0.95
    assert 0.6 < found["rotary"][1] < 0.95
    assert found["sinusoidal"][1] < 0.45


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.measured("04-positions", "ALiBi is poor")
def test_on_a_text_alibi_loses_least_beyond_the_trained_length(seed: int) -> None:
    found = accuracies(Options(task="text"), seed)
    lost = {name: inside - beyond for name, (inside, beyond) in found.items()}
    assert min(lost, key=lambda name: lost[name]) == "alibi"
    assert lost["alibi"] < 0.05
    assert found["none"][0] == min(inside for inside, _ in found.values())
