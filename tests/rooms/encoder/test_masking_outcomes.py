"""The counts of the masking lab: of one batch, and added up over many."""

import numpy as np
import pytest

from core.data.synthetic import gap_stories
from core.rooms.encoder.compute import masking_outcomes
from core.train.experiments.masking import MASKED


def test_every_word_has_one_fate_and_the_table_says_how_many() -> None:
    now, added = masking_outcomes.batch(3, 0.4), masking_outcomes.tally(3, 0.4, 5)
    words = gap_stories.words()
    assert now.counts.sum() == now.eligible.sum() == (now.corrupted.targets < words.n_plain).sum()
    assert now.counts[MASKED] == (now.corrupted.inputs == words.mask_id).sum()
    assert np.array_equal(added[0], now.counts)
    table = masking_outcomes.table(now, added, 0.4)
    assert table["fate"] == ["not chosen", "masked", "replaced", "unchanged"]
    assert table["expected"] == pytest.approx(np.array([0.6, 0.32, 0.04, 0.04]) * now.eligible.sum())
    assert table["in 5 batches"] == sum(masking_outcomes.batch(seed, 0.4).counts for seed in range(3, 8)).tolist()


def test_after_the_last_seed_comes_the_first() -> None:
    last, first = (masking_outcomes.batch(seed, 0.15).counts for seed in (masking_outcomes.N_SEED - 1, 0))
    assert masking_outcomes.tally(masking_outcomes.N_SEED - 1, 0.15, 2).tolist() == [
        last.tolist(),
        (last + first).tolist(),
    ]
