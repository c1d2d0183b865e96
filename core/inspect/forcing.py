"""Teacher forcing and writing by oneself, compared place by place on strings written backwards."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.data import reversal
from core.generate.seq2seq import greedy
from core.models.seq2seq import Seq2Seq, shift_right


@dataclass(frozen=True)
class ByPlace:
    """Shares of right letters at each place of the output, over many random strings.

    Args:
        forced: (T,) the true letters before it are read.
        free: (T,) the model reads what it wrote itself.
        whole_forced, whole_free: shares of strings in which all places are right.
    """

    forced: NDArray[np.float64]
    free: NDArray[np.float64]
    whole_forced: float
    whole_free: float


@torch.no_grad()
def by_place(model: Seq2Seq, length: int, n: int, seed: int) -> ByPlace:
    """Let the model write n random strings backwards, once with teacher forcing and once without.

    Args:
        length: letters of each string; the end token is one more place.
        seed: of the strings.

    Raises:
        ValueError: if there is no string or no letter.
    """
    if length < 1 or n < 1:
        raise ValueError(f"{n} strings of {length} letters: at least one of each is needed")
    source, target = (torch.from_numpy(x.copy()) for x in reversal.draw(n, length, np.random.default_rng(seed)))
    forced = model(source, shift_right(target, reversal.START)).argmax(-1) == target
    written = greedy(model, source, start_id=reversal.START, end_id=reversal.END, max_new_tokens=length + 1)
    filled = torch.full_like(target, reversal.END)
    filled[:, : written.shape[1]] = written
    free = filled == target
    shares = [right.double().mean(0).numpy() for right in (forced, free)]
    return ByPlace(shares[0], shares[1], *(float(right.all(1).double().mean()) for right in (forced, free)))


def wrong_places(written: NDArray[np.int64], truth: Sequence[int]) -> list[int]:
    """Places of the true answer (T,) at which another token was written, those never reached included."""
    return [t for t, token in enumerate(truth) if t >= len(written) or written[t] != token]
