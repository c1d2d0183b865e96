"""What becomes of the words of a batch when gaps are drawn, counted: in one batch, and in many."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.synthetic import gap_stories
from core.train.experiments.masking import BERT_RULE, KEPT, MASKED, REPLACED, UNCHANGED, Corrupted, corrupt, spread

N_ROW, LENGTH = 8, 24
NAMES = MappingProxyType({KEPT: "not chosen", MASKED: "masked", REPLACED: "replaced", UNCHANGED: "unchanged"})
N_SEED = 2**31  # after the last seed comes the first


@dataclass(frozen=True)
class Batch:
    """Eight rows with their gaps.

    Args:
        corrupted: what the model reads and is asked.
        eligible: (B, T) True where a token could have been chosen.
    """

    corrupted: Corrupted
    eligible: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.int64]:
        """(4,) of the tokens that could be chosen: how many met each fate."""
        return np.bincount(self.corrupted.fate.numpy()[self.eligible], minlength=4)


def batch(seed: int, share: float) -> Batch:
    """Rows of held-out stories, and the gaps that this seed draws."""
    words, rows = gap_stories.words(), gap_stories.rows()[1]
    generator = torch.Generator().manual_seed(seed)
    ids = rows.draw(N_ROW, LENGTH, words, generator)
    eligible = words.eligible(ids)
    corrupted = corrupt(ids, eligible, words.mask_id, words.n_plain, generator, share)
    return Batch(corrupted, eligible.numpy())


def tally(seed: int, share: float, n_batch: int) -> NDArray[np.int64]:
    """(N, 4) the fates in the batches of this seed and of those after it, added up from batch to batch."""
    return np.cumsum([batch((seed + i) % N_SEED, share).counts for i in range(n_batch)], axis=0)


def shares(share: float) -> list[float]:
    """Of each fate, in the order of `core.train.experiments.masking`."""
    return [1 - share, *(share * part for part in BERT_RULE)]


def table(now: Batch, added: NDArray[np.int64], share: float) -> dict[str, list[Any]]:
    """One line for each fate: counted in a batch, expected there, and counted in the many of `tally`."""
    n = int(now.eligible.sum())
    return {
        "fate": list(NAMES.values()),
        "in this batch": now.counts.tolist(),
        "expected": [spread(n, one)[0] for one in shares(share)],
        f"in {len(added)} batches": added[-1].tolist(),
    }
