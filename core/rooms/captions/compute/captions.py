"""Captions for digits: "a seven, written thin and leaning right." from the label and what can be measured.

Which digit it is somebody wrote down. The rest is arithmetic on the 8 x 8 pixels, so every picture has one true caption
and new pictures have theirs:

- ink: all shades added up, in full pixels of ink. Below `BOLD` the digit is written thin, else bold.
- slant: by how many pixels the ink moves to the right for each line further up, on the straight line that fits it best
  (second moments). Between -`LEANING` and `LEANING` it is upright.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.images import N_LEVEL
from core.data.tokenizers.word_list import WordList

BOLD = 18.0  # full pixels of ink; a quarter of the digits that models learn from have less
LEANING = 0.2  # pixels for each line: 11.3 degrees

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
INK = ("thin", "bold")
SLANT = ("left", "upright", "right")
PARTS = ("digit", "ink", "slant")  # what a caption tells
WORDS = WordList(["a", "an", *NAMES, ",", "written", *INK, "and", "upright", "leaning", "left", "right", "."])
START, END = WORDS.class_id, WORDS.words.index(".")
LONGEST = 9  # words and signs of a caption: "a seven , written thin and leaning right ."
_VOWEL = frozenset({"eight"})  # "an" before it


@dataclass(frozen=True)
class Properties:
    """What is measured on N digits."""

    ink: NDArray[np.float64]  # (N,) all shades added up, in full pixels: 0 to 64
    # (N,) pixels to the right for each line up; 0 where there is no ink, or all of it in one line
    slant: NDArray[np.float64]

    @property
    def is_bold(self) -> NDArray[np.bool_]:
        """(N,) whether there is much ink."""
        return self.ink >= BOLD

    @property
    def leaning(self) -> NDArray[np.int64]:
        """(N,) 0 to the left, 1 upright, 2 to the right."""
        return 1 + (self.slant >= LEANING).astype(np.int64) - (self.slant <= -LEANING)


def measure(pixels: NDArray[np.uint8]) -> Properties:
    """Ink and slant of digits.

    Args:
        pixels: (N, 8, 8) from 0, paper, to 16, ink; row 0 on top.

    Source: slant by second moments: Bailey and Srinath 1996; as the shear that would make the covariance of x and y 0.
    """
    p = pixels.astype(np.float64) / (N_LEVEL - 1)  # (N, Y, X)
    ink = p.sum((1, 2))
    share = p / np.maximum(ink, 1e-9)[:, None, None]
    up, right = np.mgrid[: p.shape[1], : p.shape[2]] * np.array([-1.0, 1.0])[:, None, None]
    y, x = up - _mean(share * up), right - _mean(share * right)
    slope = (share * x * y).sum((1, 2)) / np.maximum((share * y * y).sum((1, 2)), 1e-9)
    return Properties(ink, slope)


def _mean(weighted: NDArray[np.float64]) -> NDArray[np.float64]:
    return weighted.sum((1, 2), keepdims=True)


def words_of(digit: int, is_bold: bool, leaning: int) -> list[str]:
    """The caption's words and signs.

    Args:
        digit: 0 to 9.
        leaning: 0 to the left, 1 upright, 2 to the right.
    """
    name = NAMES[digit]
    way = [SLANT[1]] if leaning == 1 else ["leaning", SLANT[leaning]]
    return ["an" if name in _VOWEL else "a", name, ",", "written", INK[is_bold], "and", *way, "."]


def encode(pixels: NDArray[np.uint8], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N, LONGEST) ids of the true captions; a shorter one is filled up with its end, the full stop.

    Args:
        pixels: (N, 8, 8); labels: (N,) which digits they are.
    """
    table = np.full((10, 2, 3, LONGEST), END)  # all captions that there are
    for digit, bold, leaning in np.ndindex(10, 2, 3):
        ids = WORDS.encode(words_of(digit, bool(bold), leaning))[1:]
        table[digit, bold, leaning, : len(ids)] = ids
    found = measure(pixels)
    return table[labels, found.is_bold.astype(np.int64), found.leaning]


def decode(ids: Sequence[int]) -> list[str]:
    """The words of these ids up to the first full stop, which is among them."""
    words = [WORDS.words[i] for i in ids]
    return words[: words.index(".") + 1] if "." in words else words


def text(words: Sequence[str]) -> str:
    """Words and signs as a line of text: no space before a sign."""
    return " ".join(words).replace(" ,", ",").replace(" .", ".")


def parts(words: Sequence[str]) -> tuple[str, str, str]:
    """What a caption says of digit, ink and slant; "" for what it does not say."""

    def first(of: Sequence[str]) -> str:
        return next((word for word in words if word in of), "")

    return first(NAMES), first(INK), first(SLANT)
