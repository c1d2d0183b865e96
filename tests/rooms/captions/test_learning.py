"""Captions: above 95 % exact on held-out digits whatever the seed, when all patches are read."""

import numpy as np
import pytest

from core.rooms.captions.experiments import captions as task
from tests.counts import SEEDS
from tests.library.learning.once import trained


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_more_than_95_percent_of_captions_are_exact(seed: int) -> None:
    record = trained("captions", seed)
    assert record["curve.exact"][-1] > 0.95
    assert min(record[f"curve.{one}"][-1] for one in ("digit", "ink", "slant")) > 0.96
    assert record["curve.exact"][0] < 0.02 and record["curve.loss"][0] == pytest.approx(np.log(26), abs=1e-3)


def test_one_vector_carries_less() -> None:
    patches, vector = trained("captions", 0), trained("captions-class", 0)
    assert patches["curve.exact"][-1] > vector["curve.exact"][-1] + 0.01
    assert len(patches["step"]) == len(vector["step"]) == task.N_LOOK + 1
