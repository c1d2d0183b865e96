"""Captions for digits: "a seven, written thin and leaning right.", from the label and measurements of the pixels.

The label was assigned by a person. The rest is computed from the 8 x 8 pixels, so every picture, including a new one,
has exactly one true caption:

- ink: the sum of all shades, in full pixels of ink. Below `BOLD` the digit is written thin, else bold.
- slant: the slope of the straight line that fits the ink best (second moments), in pixels to the right per line up.
Between -`LEANING` and `LEANING` the digit is upright.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.images import N_LEVEL
from core.data.tokenizers.word_vocabulary import WordVocabulary

BOLD = 18.0  # full pixels of ink; a quarter of the training digits have less
LEANING = 0.2  # pixels per line: 11.3 degrees

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
INK = ("thin", "bold")
SLANT = ("left", "upright", "right")
PARTS = ("digit", "ink", "slant")  # the properties in a caption
WORDS = WordVocabulary(["a", "an", *NAMES, ",", "written", *INK, "and", "upright", "leaning", "left", "right", "."])
START, END = WORDS.class_id, WORDS.words.index(".")
MAX_WORDS = 9  # tokens of the longest caption: "a seven , written thin and leaning right ."
_VOWEL = frozenset({"eight"})  # takes "an"


@dataclass(frozen=True)
class Properties:
    """The measured ink and slant of N digits."""

    ink: NDArray[np.float64]  # (N,) the sum of all shades, in full pixels: 0 to 64
    # (N,) pixels to the right per line up; 0 if there is no ink, or it is all in one line
    slant: NDArray[np.float64]

    @property
    def is_bold(self) -> NDArray[np.bool_]:
        """True for digits with much ink (N,)."""
        return self.ink >= BOLD

    @property
    def leaning(self) -> NDArray[np.int64]:
        """The direction (N,): 0 leaning left, 1 upright, 2 leaning right."""
        return 1 + (self.slant >= LEANING).astype(np.int64) - (self.slant <= -LEANING)


def measure_digits(pixels: NDArray[np.uint8]) -> Properties:
    """Measure the ink and slant of digits.

    Args:
        pixels: (N, 8, 8) from 0 (paper) to 16 (ink); row 0 on top.

    Source: slant by second moments: Bailey and Srinath 1996; as the shear that makes the covariance of x and y 0.
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


def caption_words(digit: int, is_bold: bool, leaning: int) -> list[str]:
    """Return the tokens of a caption.

    Args:
        digit: 0 to 9.
        leaning: 0 leaning left, 1 upright, 2 leaning right.
    """
    name = NAMES[digit]
    way = [SLANT[1]] if leaning == 1 else ["leaning", SLANT[leaning]]
    return ["an" if name in _VOWEL else "a", name, ",", "written", INK[is_bold], "and", *way, "."]


def encode_captions(pixels: NDArray[np.uint8], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ids of the true captions (N, LONGEST); a shorter caption is padded with the full stop.

    Args:
        pixels: (N, 8, 8) the digits.
        labels: (N,) their labels.
    """
    table = np.full((10, 2, 3, MAX_WORDS), END)  # every possible caption
    for digit, bold, leaning in np.ndindex(10, 2, 3):
        ids = WORDS.encode(caption_words(digit, bool(bold), leaning))[1:]
        table[digit, bold, leaning, : len(ids)] = ids
    found = measure_digits(pixels)
    return table[labels, found.is_bold.astype(np.int64), found.leaning]


def decode_caption(ids: Sequence[int]) -> list[str]:
    """Return the words of these ids up to and including the first full stop."""
    words = [WORDS.words[i] for i in ids]
    return words[: words.index(".") + 1] if "." in words else words


def caption_text(words: Sequence[str]) -> str:
    """Return words and punctuation as a line of text, without a space before punctuation."""
    return " ".join(words).replace(" ,", ",").replace(" .", ".")


def caption_parts(words: Sequence[str]) -> tuple[str, str, str]:
    """Return the digit, ink and slant in a caption, each "" if the caption doesn't mention it."""

    def first(of: Sequence[str]) -> str:
        return next((word for word in words if word in of), "")

    return first(NAMES), first(INK), first(SLANT)
