"""What does "it" stand for? The bottle-and-cup sentence as a task with a known answer, for models that read it whole.

Two nouns change places and one word near the end decides between them, so that a model has to know which noun came
first and has to read what comes after "it". See `core.data.synthetic.BottleAndCup` for the sentence.
"""

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from core.data.synthetic import NOUNS, BottleAndCup

ENDINGS = ("full", "empty")
_FRAME = BottleAndCup("{first}", "{second}", "{ending}").text.replace(".", " .").split()
WORDS = (*dict.fromkeys(word for word in _FRAME if not word.startswith("{")), *ENDINGS, *NOUNS)
N_TOKEN = len(_FRAME)  # 14
# Where things stand in the sentence: the two nouns, "it", and the word that decides.
FIRST, SECOND, IT, ENDING = (_FRAME.index(word) for word in ("{first}", "{second}", "it", "{ending}"))
NOUN_IDS = tuple(WORDS.index(noun) for noun in NOUNS)

Ids = NDArray[np.int64]


def tokens(sentence: BottleAndCup) -> tuple[str, ...]:
    """The sentence as its 14 words, the full stop being one."""
    return tuple(sentence.text.replace(".", " .").split())


def encode(sentences: Sequence[BottleAndCup]) -> tuple[Ids, Ids]:
    """(N, 14) numbers of words in `WORDS`, and (N,) the number of the noun that "it" stands for.

    Raises ValueError if a noun or an ending is not among the words.
    """
    number = {word: i for i, word in enumerate(WORDS)}
    try:
        ids = [[number[word] for word in tokens(sentence)] for sentence in sentences]
        answers = [number[sentence.referent] for sentence in sentences]
    except KeyError as error:
        raise ValueError(f"{error} is none of the words: {', '.join(WORDS)}") from None
    return np.array(ids, dtype=np.int64).reshape(-1, N_TOKEN), np.array(answers, dtype=np.int64)


def right_place(sentence: BottleAndCup) -> int:
    """The position of the noun that "it" stands for."""
    return SECOND if sentence.ending == "full" else FIRST


def split(seed: int, n_held: int = 7) -> tuple[list[BottleAndCup], list[BottleAndCup]]:
    """All 112 sentences, in two parts: those to train on, and those whose two nouns never meet in training.

    A pair is held out in both orders and with both endings. So whoever cannot tell which noun came first, or cannot
    read the ending, is right in exactly half of the held-out sentences at best: each comes with a twin that looks the
    same and has the other answer. The seed decides which of the 28 pairs of nouns are held out; with 7 of them, the
    parts have 84 and 28 sentences.
    """
    pairs = [(first, second) for i, first in enumerate(NOUNS) for second in NOUNS[i + 1 :]]
    Random(seed).shuffle(pairs)
    return _sentences(pairs[n_held:]), _sentences(pairs[:n_held])


def _sentences(pairs: Sequence[tuple[str, str]]) -> list[BottleAndCup]:
    return [BottleAndCup(*nouns, ending) for pair in pairs for nouns in (pair, pair[::-1]) for ending in ENDINGS]
