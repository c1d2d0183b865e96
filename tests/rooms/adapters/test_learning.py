"""What the room says of adapters, over three seeds."""

import numpy as np
import pytest

from core.rooms.adapters import matrix, on_and_off
from core.rooms.adapters.experiments.adapters import MEASURED, RANKS, TEXT, VARIANTS
from core.train.experiments.live import Live
from tests.counts import SEEDS
from tests.library.learning.once import trained


def run_of(seed: int) -> Live:
    record = trained("adapters", seed)
    last = int(record["step"][-1])
    return Live(record, {"text": TEXT, "n_step": last}, seed, last, last, name="adapters")


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_full_fine_tuning_is_ahead_at_its_best_step_then_overfits_and_all_forget(seed: int) -> None:
    record = trained("adapters", seed)
    train, new, old = ({v: record[f"curve.{v}.{what}"] for v in VARIANTS} for what in MEASURED)
    assert new["full"][0] > 6 and old["full"][0] < 0.45
    assert new["full"].min() < new["rank_1"].min() - 0.03
    assert new["full"][-1] > new["full"].min() + 0.1 and train["full"][-1] < 0.25, "it memorizes the fifty lines"
    assert all(old[v][-1] > 3 * old[v][0] for v in VARIANTS)


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rank", RANKS)
def test_half_of_the_update_has_learned_nearly_all_and_forgotten_little(seed: int, rank: int) -> None:
    found = on_and_off.compute(on_and_off.Inputs(rank=rank), run_of(seed))
    learned, forgotten = found.half
    assert found.came.answer == "both" and learned > 0.85 and forgotten < 0.2


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_full_fine_tuning_writes_many_directions(seed: int) -> None:
    found = matrix.compute(matrix.Inputs(rank=2), run_of(seed))
    assert found.held.max() < 0.5
    assert np.all(found.singular[:, 0, 2:] < 1e-3) and np.all(found.singular[:, 1, 8] > 0.2)
