"""What the room says of adapters, over three seeds."""

import numpy as np
import pytest

from core.rooms.adapters import matrix, on_and_off
from core.rooms.adapters.experiments.adapters import RANKS, TEXT
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.counts import SEEDS
from tests.library.learning.once import trained


def run_of(seed: int) -> ExperimentRun:
    record = trained("adapters", seed)
    last = int(record["step"][-1])
    return ExperimentRun(record, {"text": TEXT, "n_step": last}, seed, last, last, name="adapters")


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rank", RANKS)
def test_half_of_the_update_has_learned_nearly_all_and_forgotten_little(seed: int, rank: int) -> None:
    found = on_and_off.compute(on_and_off.Inputs(rank=rank), run_of(seed))
    learned, forgotten = found.half
    assert found.outcome.answer == "both" and learned > 0.85 and forgotten < 0.2


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_full_fine_tuning_writes_many_directions(seed: int) -> None:
    found = matrix.compute(matrix.Inputs(rank=2), run_of(seed))
    assert found.held.max() < 0.5
    assert np.all(found.singular[:, 0, 2:] < 1e-3) and np.all(found.singular[:, 1, 8] > 0.2)
