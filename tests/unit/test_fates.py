"""The counts of the masking lab: of one batch, and added up over many."""

import numpy as np
import pytest

from core.data import gap_stories
from core.train import fates
from core.train.masking import MASKED


def test_every_word_has_one_fate_and_the_table_says_how_many() -> None:
    now, added = fates.batch(3, 0.4), fates.tally(3, 0.4, 5)
    words = gap_stories.words()
    assert now.counts.sum() == now.eligible.sum() == (now.corrupted.targets < words.n_plain).sum()
    assert now.counts[MASKED] == (now.corrupted.inputs == words.mask_id).sum()
    assert np.array_equal(added[0], now.counts)
    table = fates.table(now, added, 0.4)
    assert table["fate"] == ["not chosen", "masked", "replaced", "unchanged"]
    assert table["expected"] == pytest.approx(np.array([0.6, 0.32, 0.04, 0.04]) * now.eligible.sum())
    assert table["in 5 batches"] == sum(fates.batch(seed, 0.4).counts for seed in range(3, 8)).tolist()


def test_after_the_last_seed_comes_the_first() -> None:
    last, first = (fates.batch(seed, 0.15).counts for seed in (fates.N_SEED - 1, 0))
    assert fates.tally(fates.N_SEED - 1, 0.15, 2).tolist() == [last.tolist(), (last + first).tolist()]
