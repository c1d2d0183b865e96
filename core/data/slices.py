"""Windows that lie half over one another, so that every judged token has a past: one evaluation slice for all models.

A net that reads windows knows nothing before the first token of a window, while a table of counts reads on through the
text. So only the second half of each window is judged: there every model has at least half a window behind it.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.data import corpora, tokenizers
from core.data.tokenizers import Tokenizer


def half_windows(ids: NDArray[np.int64], length: int, n_window: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Windows from the beginning of a text, each moved on by half a window.

    Args:
        ids: (N,) the text.
        length: tokens that are read in each window; even.
        n_window: how many; fewer where the text is shorter.

    Returns:
        windows: (W, length + 1), each followed by the token that comes next.
        places: (W, length / 2) where the judged tokens stand in the text: those of the second halves, each once.

    Raises:
        ValueError: if the length is odd, or the text is shorter than one window and its next token.
    """
    half = length // 2
    if length % 2 or length < 2:
        raise ValueError(f"a window of {length} tokens has no two halves")
    n_fit = (len(ids) - 1 - half) // half
    if n_fit < 1:
        raise ValueError(f"{len(ids)} tokens are less than one window of {length} and the token after it")
    starts = np.arange(min(n_window, n_fit))[:, None] * half  # (W, 1)
    places = starts + half + 1 + np.arange(half)
    return ids[starts + np.arange(length + 1)], places


@dataclass(frozen=True)
class Sliced:
    """A text to learn from, and the slice of its end on which everybody is judged. The arrays cannot be changed.

    Attributes:
        tokenizer: of the text.
        ids: (N,) the training text, the first nine tenths.
        held: (M,) the beginning of the last tenth, up to the last token that is judged.
        windows: (W, length + 1) of `held`; places: (W, length / 2) the judged tokens in it; see `half_windows`.
    """

    tokenizer: Tokenizer
    ids: NDArray[np.int64]
    held: NDArray[np.int64]
    windows: NDArray[np.int64]
    places: NDArray[np.int64]


@cache
def sliced(corpus: str, kind: str, length: int, n_window: int, vocab_size: int = 0) -> Sliced:
    """A corpus of ours, cut into tokens and into the two parts; kept, for every seed learns from the same.

    Args:
        corpus: its name.
        kind: of the tokenizer.
        length, n_window: of the evaluation slice, see `half_windows`.
        vocab_size: of a tokenizer that is told one.

    Raises:
        CorpusRefused: if the corpus is not there.
    """
    whole = corpora.load(corpus).text
    return cut_by(tokenizers.train(kind, whole, *([vocab_size] if vocab_size else [])), whole, length, n_window)


def cut_by(tokenizer: Tokenizer, whole: str, length: int, n_window: int) -> Sliced:
    """A text, cut into tokens and into the two parts; see `sliced`."""
    ids, held = corpora.split(np.array(tokenizer.encode(whole)))  # type: ignore[type-var]
    windows, places = half_windows(held, length, n_window)
    held = held[: places.max() + 1]
    for array in (ids, held, windows, places):
        array.flags.writeable = False
    return Sliced(tokenizer, ids, held, windows, places)
