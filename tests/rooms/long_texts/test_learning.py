"""A run of a few steps, as a class may ask for."""

import numpy as np

from core.rooms.long_texts import needle
from tests.library.learning.once import ran


def test_a_short_run_has_read_in_every_way_at_its_end() -> None:
    record = ran("long-texts", 0, n_step=5)
    names = [f"position.{way}" for way in needle.WAY_NAMES] + [f"tuned.position.{way}" for way in needle.FREQUENCY_WAYS]
    assert all(np.isfinite(record[name]).all() and record[name].shape == (32,) for name in names)
