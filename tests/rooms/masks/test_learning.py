"""Without the causal mask the loss dives, also on text never seen, and the model can write nothing."""

import numpy as np
import pytest

from core.train import experiment
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_where_nothing_can_be_read_ahead_the_honest_loss_is_what_it_was(seed: int) -> None:
    found = trained("cheating", seed)
    assert found["end_loss.masked"] == pytest.approx(found["val_loss.masked"], abs=0.25)
    assert found["look.unmasked.ahead"][-1].mean() > 0.8
    assert not found["look.masked.ahead"].any()


def test_a_short_run_is_recorded_step_by_step() -> None:
    found = ran("cheating", 5, n_step=3)
    assert found["curve.masked.step"].tolist() == [1, 2, 3]
    assert all(np.isfinite(array).all() for array in found.values())


def test_what_is_no_record_is_refused() -> None:
    for data in (b"", b"x" * 9, b"\xff" * 64):
        with pytest.raises(ValueError, match="aren't a record"):
            experiment.unpack_record(data)
