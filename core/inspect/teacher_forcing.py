"""Teacher forcing and free-running generation, compared position by position."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.synthetic import reversal
from core.generate.seq2seq import EncoderDecoder, greedy_decode
from core.models.recurrent_seq2seq import RecurrentSeq2Seq, shift_right

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class AccuracyByPosition:
    """The fraction of correct tokens at each position of the output, over all answers that reach the position."""

    forced: Float[NDArray[np.float64], " T"]  # the model reads the true tokens before it (teacher forcing)
    free: Float[NDArray[np.float64], " T"]  # the model reads its own output
    whole_forced: float  # fraction of answers in which all tokens are correct
    whole_free: float

    def table(self, free: str = LABELS["column.free"]) -> dict[str, list[float]]:
        """Return a table with a row for each position of the output, from 1; `free` names the free-running column."""
        return {
            LABELS["column.place"]: list(range(1, len(self.forced) + 1)),
            LABELS["column.forced"]: self.forced.tolist(),
            free: self.free.tolist(),
        }


@torch.no_grad()
def string_reversal_accuracy(model: RecurrentSeq2Seq, length: int, n: int, seed: int) -> AccuracyByPosition:
    """Let the model reverse n random strings, once with teacher forcing and once free-running.

    The end token follows the string's letters, so there is one position more.

    Raises ValueError if there is no string or no letter.
    """
    if length < 1 or n < 1:
        raise ValueError(f"{n} strings of {length} letters: at least one of each is needed")
    source, target = (
        torch.from_numpy(x.copy()) for x in reversal.draw_string_reversal_pairs(n, length, np.random.default_rng(seed))
    )
    return compare_teacher_forcing(model, source, target, None, start_id=reversal.START, end_id=reversal.END)


@torch.no_grad()
def compare_teacher_forcing(
    model: EncoderDecoder,
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    mask: Bool[Tensor, "B S"] | None,
    *,
    start_id: int,
    end_id: int,
) -> AccuracyByPosition:
    """Compare teacher forcing and free-running generation on a batch of sources (mask: True where there is a token).

    target: true answers, each with its end token; below 0 after its end.

    Source: Williams and Zipser 1989, section 3.2 (teacher forcing); the difference: Ranzato et al. 2015 (1511.06732).
    """
    counted = target >= 0
    both = forced_and_free_correctness(model, source, target, mask, start_id=start_id, end_id=end_id)
    shares = [((right & counted).sum(0) / counted.sum(0)).double().numpy() for right in both]
    whole = [float((right | ~counted).all(1).double().mean()) for right in both]
    return AccuracyByPosition(shares[0], shares[1], whole[0], whole[1])


def forced_and_free_correctness(
    model: EncoderDecoder,
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    mask: Bool[Tensor, "B S"] | None,
    *,
    start_id: int,
    end_id: int,
) -> tuple[Bool[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """Return the correct tokens, teacher-forced and free-running; arguments as in `compare_teacher_forcing`."""
    forced = model(source, shift_right(target.clamp(min=0), start_id), mask).argmax(-1) == target
    written = greedy_decode(model, source, mask, start_id=start_id, end_id=end_id, max_new_tokens=target.shape[1])
    filled = torch.full_like(target, end_id)
    filled[:, : written.shape[1]] = written
    return forced, filled == target


def wrong_positions(written: Int[NDArray[np.int64], " N"], truth: Sequence[int]) -> list[int]:
    """Return the positions of the true answer (T,) at which a different token, or none, was generated."""
    return [t for t, token in enumerate(truth) if t >= len(written) or written[t] != token]
