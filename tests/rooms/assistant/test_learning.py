"""Four trainings, one after another, on three seeds: each does what it is there for."""

import pytest

from core.rooms.assistant.compute.reading import shares
from core.rooms.assistant.experiments.assistant import Assistant, Options
from core.train.device import one_thread
from tests.counts import SEEDS


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_each_stage_does_what_it_is_there_for(seed: int) -> None:
    with one_thread():
        running = Assistant(Options(), seed)
        while running.step < running.n_step:
            running.advance()
        found = {name: shares(one.model, name != "predictor") for name, one in running.trainers.items()}
    assert found["predictor"].things < 0.05
    assert found["tuned"].things > 0.7 and found["tuned"].unshown > 0.5
    assert found["preferred"].friendly > found["tuned"].friendly + 0.2 and found["preferred"].rude < 0.05
    assert found["rewarded"].hard > found["preferred"].hard + 0.3
