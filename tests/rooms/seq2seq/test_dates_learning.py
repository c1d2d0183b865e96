"""Dates are learned in seconds with attention, whatever the seed; in the same steps not without it."""

import pytest

from tests.counts import SEEDS
from tests.library.learning.once import trained


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_new_days_are_written_right(seed: int) -> None:
    record = trained("dates", seed)
    assert record["curve.exact"][-1] > 0.95
    assert sum(array.nbytes for array in record.values()) < 600_000


@pytest.mark.full
def test_without_attention_it_takes_longer() -> None:
    record = trained("dates", 0, attention="none")
    assert record["curve.exact"][-1] < 0.1
    assert 0.6 < record["curve.signs"][-1] < 0.75
    assert "frames.weights" not in record
