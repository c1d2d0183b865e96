"""The task of writing strings backwards: the simplest task in which no part of the source may be forgotten."""

from collections.abc import Sequence
from string import ascii_lowercase as LETTERS

import numpy as np
from numpy.typing import NDArray

from core.data.tokenizers.tokenizer_base import ids_before_end

START, END = len(LETTERS), len(LETTERS) + 1  # of the target; the source has only letters
SOURCE_VOCAB, TARGET_VOCAB = len(LETTERS), len(LETTERS) + 2
SHORTEST, LONGEST = 4, 20  # lengths in training


def draw_string_reversal_pairs(
    n: int, length: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw random strings of one length; letters are uniform and independent, so that none helps to predict another.

    Returns (n, length) letters, and (n, length + 1) the same letters backwards, then the end token.
    """
    source = rng.integers(len(LETTERS), size=(n, length))
    return source, np.concatenate([source[:, ::-1], np.full((n, 1), END)], 1)


def encode(text: str) -> list[int]:
    """Encode the letters a to z of a text; capitals count as small letters, everything else is left out."""
    return [LETTERS.index(sign) for sign in text.lower() if sign in LETTERS]


def decode(ids: Sequence[int]) -> str:
    """Decode the letters up to the end token."""
    return "".join(LETTERS[i] for i in ids_before_end(ids, END) if i < len(LETTERS))


def tokens(ids: Sequence[int]) -> list[str]:
    """Return the display string of each token."""
    return ["end" if i == END else "start" if i == START else LETTERS[i] for i in ids]
