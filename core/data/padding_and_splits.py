"""Texts as arrays: padded rows, and overlapping windows that give every evaluated token a context.

A network that reads windows sees nothing before the first token of a window, while a table of counts reads the whole
text. So consecutive windows overlap by half, and only the second half of each is evaluated. That way all models are
evaluated on the same tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from core.data import corpora, tokenizers
from core.data.localization.labels import module_labels
from core.data.tokenizers import Tokenizer

LABELS = module_labels(__name__)


def pad_rows(rows: Sequence[Sequence[int]], fill: int = 0) -> tuple[Int[Tensor, "B S"], Bool[Tensor, "B S"]]:
    """Pad the rows at their ends, and return a mask that is True where there is a token."""
    ids = pad_sequence([torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True, padding_value=fill)
    return ids, torch.arange(ids.shape[1]) < torch.tensor([[len(row)] for row in rows])


def _half_windows(
    ids: Int[NDArray[np.int64], " N"], length: int, n_window: int
) -> tuple[Int[NDArray[np.int64], "W window"], Int[NDArray[np.int64], "W half"]]:
    """Cut windows from the beginning of a text, each shifted by half a window.

    Args:
        length: tokens that are read in each window; even.
        n_window: how many windows; there are fewer if the text is too short.

    Returns (W, length + 1) windows, each with the token that follows it, and (W, length / 2) the positions in the text
    of the evaluated tokens: those of the second halves, each once.

    Raises ValueError if the length is odd, or the text is shorter than one window and its next token.
    """
    half = length // 2
    if length % 2 or length < 2:
        raise ValueError(LABELS("no_halves", length=length))
    n_fit = (len(ids) - 1 - half) // half
    if n_fit < 1:
        raise ValueError(LABELS("too_few", n_ids=len(ids), length=length))
    starts = np.arange(min(n_window, n_fit))[:, None] * half  # (W, 1)
    places = starts + half + 1 + np.arange(half)
    return ids[starts + np.arange(length + 1)], places


@dataclass(frozen=True)
class EvaluationSplit:
    """A training text, and the slice after it on which all models are evaluated. The arrays are read-only."""

    tokenizer: Tokenizer
    ids: NDArray[np.int64]  # (N,) the training text, the first nine tenths
    held: NDArray[np.int64]  # (M,) the beginning of the last tenth, up to the last token that is evaluated
    windows: NDArray[np.int64]  # (W, length + 1) of `held`
    places: NDArray[np.int64]  # (W, length / 2) positions of the evaluated tokens in it; see `_half_windows`


@cache
def tokenize_and_split_corpus(
    corpus: str, kind: str, length: int, n_window: int, vocab_size: int = 0
) -> EvaluationSplit:
    """Train a tokenizer of this kind on one of our corpora, and split its ids; the split is the same for every seed."""
    text = corpora.load(corpus).text
    return tokenize_and_split_text(tokenizers.train_tokenizer(kind, text, vocab_size or None), text, length, n_window)


def tokenize_and_split_text(tokenizer: Tokenizer, text: str, length: int, n_window: int) -> EvaluationSplit:
    """Tokenize a text and split its ids into both parts; see `_half_windows` for `length` and `n_window`."""
    ids, held = corpora.split_validation(np.array(tokenizer.encode(text)))  # type: ignore[type-var]
    windows, places = _half_windows(held, length, n_window)
    held = held[: places.max() + 1]
    for array in (ids, held, windows, places):
        array.flags.writeable = False
    return EvaluationSplit(tokenizer, ids, held, windows, places)
