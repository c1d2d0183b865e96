"""Gaps of a text, filled by an encoder: each gap independently, and two gaps that should agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.data.synthetic.masked_stories import masked_story_vocabulary
from core.exhibit import Table
from core.models.bert import BERT

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class TwoGapPredictions:
    """Two gaps of a text, with the ids of the most probable words of each while both are masked."""

    first: Int[NDArray[np.int64], " n"]
    second: Int[NDArray[np.int64], " m"]
    apart: Float[NDArray[np.float64], "n m"]  # the product of both probabilities, as if the gaps were independent
    in_turn: Float[NDArray[np.float64], "n m"]  # the second gap predicted again, with each of the first words filled in

    @property
    def labels(self) -> tuple[list[str], list[str]]:
        """Return the words of each gap."""
        return masked_story_vocabulary().labels(self.first), masked_story_vocabulary().labels(self.second)

    def table(self) -> Table:
        """Return a table with a row for each pair of words, with its two probabilities."""
        first, second = self.labels
        return {
            LABELS["column.first_gap"]: [word for word in first for _ in second],
            LABELS["column.second_gap"]: [word for _ in first for word in second],
            LABELS["column.at_once"]: self.apart.ravel().tolist(),
            LABELS["column.in_turn"]: self.in_turn.ravel().tolist(),
        }


@torch.no_grad()
def fill_gaps(model: BERT, ids: Sequence[int], gaps: Sequence[int], mask_id: int) -> Float[NDArray[np.float32], "T V"]:
    """Return the probability of each token at each position, with the mask token in all gaps, from a single pass.

    Source: Devlin et al. 2018 (BERT), section 3.1.
    """
    row = torch.tensor([list(ids)])
    row[0, list(gaps)] = mask_id
    return np.asarray(model(row)[0].softmax(-1).numpy())


@torch.no_grad()
def fill_two_gaps(
    model: BERT, ids: Sequence[int], gaps: tuple[int, int], mask_id: int, n: int, n_plain: int
) -> TwoGapPredictions:
    """Fill two gaps at once, and sequentially.

    One pass gives P(a) for the first gap and P(b) for the second. Their product P(a) P(b) doesn't depend on whether a
    and b fit together. With a filled in, a second pass gives P(b | a), and P(a) P(b | a) is a probability of the pair.

    n: number of most probable words of each gap that are paired; n_plain: ids below this are words.

    Source: the order matters, as in Wang and Cho 2019 (1902.04094).
    """
    open_both = fill_gaps(model, ids, gaps, mask_id)[list(gaps), :n_plain].astype(np.float64)
    first, second = (np.argsort(-row, kind="stable")[:n] for row in open_both)
    chances = open_both[0, first]
    rows = torch.tensor([list(ids)]).repeat(n, 1)
    rows[:, gaps[0]] = torch.from_numpy(first.copy())
    rows[:, gaps[1]] = mask_id
    given = model(rows)[:, gaps[1]].softmax(-1).double().numpy()[:, second]  # (n, n)
    return TwoGapPredictions(first, second, chances[:, None] * open_both[1, second], chances[:, None] * given)


@torch.no_grad()
def top_token_per_position(
    model: BERT, ids: Int[NDArray[np.int64], "B T"], readable: Bool[NDArray[np.bool_], "B T"]
) -> Int[NDArray[np.int64], "B T"]:
    """Return the most probable token at each position, without masking any."""
    return np.asarray(model(torch.from_numpy(ids), torch.from_numpy(readable)).argmax(-1).numpy())
