"""The bottle-and-cup task for models that read the whole sentence: name the noun that "it" refers to.

The order of the two nouns varies, and one word near the end decides between them. So a model has to know which noun
came first, and it has to read what comes after "it". See `core.data.synthetic.BottleAndCup` for the sentence.
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
# Positions in the sentence: the two nouns, "it", and the word that decides.
FIRST_POSITION, SECOND_POSITION, IT_POSITION, ENDING_POSITION = (
    _FRAME.index(word) for word in ("{first}", "{second}", "it", "{ending}")
)
NOUN_IDS = tuple(WORDS.index(noun) for noun in NOUNS)

Ids = NDArray[np.int64]


def sentence_tokens(sentence: BottleAndCup) -> tuple[str, ...]:
    """Return the 14 words of the sentence, including the full stop."""
    return tuple(sentence.text.replace(".", " .").split())


def encode_referent_sentences(sentences: Sequence[BottleAndCup]) -> tuple[Ids, Ids]:
    """Encode sentences as ids in `WORDS`: (N, 14) the words, and (N,) the noun that "it" refers to.

    Raises ValueError if a noun or an ending is not among the words.
    """
    number = {word: i for i, word in enumerate(WORDS)}
    try:
        ids = [[number[word] for word in sentence_tokens(sentence)] for sentence in sentences]
        answers = [number[sentence.referent] for sentence in sentences]
    except KeyError as error:
        raise ValueError(f"{error} is not one of the words: {', '.join(WORDS)}") from None
    return np.array(ids, dtype=np.int64).reshape(-1, N_TOKEN), np.array(answers, dtype=np.int64)


def referent_position(sentence: BottleAndCup) -> int:
    """Return the position of the noun that "it" refers to."""
    return SECOND_POSITION if sentence.ending == "full" else FIRST_POSITION


def bottle_and_cup_split(seed: int, n_held: int = 7) -> tuple[list[BottleAndCup], list[BottleAndCup]]:
    """Split all 112 sentences into those to train on, and those whose two nouns never occur together in training.

    A pair is held out in both orders and with both endings. So a model that ignores which noun came first, or ignores
    the ending, is right in at most half of the held-out sentences: to such a model, each sentence looks the same as
    another one that has the opposite answer. The seed decides which of the 28 pairs of nouns are held out; with 7 of
    them, the parts have 84 and 28 sentences.
    """
    pairs = [(first, second) for i, first in enumerate(NOUNS) for second in NOUNS[i + 1 :]]
    Random(seed).shuffle(pairs)
    return _sentences(pairs[n_held:]), _sentences(pairs[:n_held])


def _sentences(pairs: Sequence[tuple[str, str]]) -> list[BottleAndCup]:
    return [BottleAndCup(*nouns, ending) for pair in pairs for nouns in (pair, pair[::-1]) for ending in ENDINGS]
