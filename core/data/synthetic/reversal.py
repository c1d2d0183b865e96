"""Strings to be written backwards: the simplest task in which nothing of the source may be forgotten."""

from collections.abc import Sequence
from string import ascii_lowercase as LETTERS

import numpy as np
from numpy.typing import NDArray

from core.data.tokenizers.base import until

START, END = len(LETTERS), len(LETTERS) + 1  # of the target; the source has letters alone
SOURCE_VOCAB, TARGET_VOCAB = len(LETTERS), len(LETTERS) + 2
SHORTEST, LONGEST = 4, 20  # lengths in training


def draw(n: int, length: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Random strings of one length, every letter equally likely at every place, so that no letter helps with another.

    Returns (n, length) letters, and (n, length + 1) the same letters backwards, then the end token.
    """
    source = rng.integers(len(LETTERS), size=(n, length))
    return source, np.concatenate([source[:, ::-1], np.full((n, 1), END)], 1)


def encode(text: str) -> list[int]:
    """The letters a to z of a text; capitals count as small letters, everything else is left out."""
    return [LETTERS.index(sign) for sign in text.lower() if sign in LETTERS]


def decode(ids: Sequence[int]) -> str:
    """The letters up to the end token."""
    return "".join(LETTERS[i] for i in until(ids, END) if i < len(LETTERS))


def tokens(ids: Sequence[int]) -> list[str]:
    """Each token as it is shown."""
    return ["end" if i == END else "start" if i == START else LETTERS[i] for i in ids]
