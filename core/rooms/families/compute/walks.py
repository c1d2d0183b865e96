"""A round walk: the things met on the way, in order, and three questions about it whose answers are known.

"crab tree gull wave" is a walk. Was it mostly by the sea or in the wood? The walk is a circle: what comes next? And in
French, on the way back? This way the same text can be classified, continued and translated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.data.tokenizers.word_vocabulary import bare_words

# Two of the things need more than one word in French, so a translation can be longer than the text.
SEA = {
    "wave": ("vague",),
    "boat": ("bateau",),
    "gull": ("mouette",),
    "crab": ("crabe",),
    "sand": ("sable",),
    "starfish": ("étoile", "de", "mer"),
}
WOOD = {
    "tree": ("arbre",),
    "fox": ("renard",),
    "owl": ("hibou",),
    "moss": ("mousse",),
    "deer": ("cerf",),
    "glowworm": ("ver", "luisant"),
}
FRENCH = {**SEA, **WOOD}
THINGS = tuple(FRENCH)
LONGER_THINGS = tuple(thing for thing, said in FRENCH.items() if len(said) > 1)
PLACES = ("sea", "wood")
TASKS = ("classify", "continue", "translate")
MIN_THINGS, MAX_THINGS = 4, 6  # things on a walk
MAX_TYPED_THINGS = 8  # on a walk that a learner types: longer than any in training
N_NEXT = 3  # things that the second question asks for

FRENCH_WORDS = tuple(word for said in FRENCH.values() for word in said)
_SPECIAL = ("<class>", "<mask>", "<start>", "<end>", "<where?>", "<next?>", "<back?>")
WORDS = (*THINGS, *PLACES, *FRENCH_WORDS, *_SPECIAL)
WORD_IDS = {word: i for i, word in enumerate(WORDS)}
CLASS, MASK, START, END, *_QUESTION_IDS = (WORD_IDS[word] for word in _SPECIAL)
QUESTION_IDS = MappingProxyType(dict(zip(TASKS, _QUESTION_IDS, strict=True)))  # task -> the token that asks for it


@dataclass(frozen=True)
class Walk:
    """The things met on a walk, in order, each at most once in training."""

    things: tuple[str, ...]

    @property
    def place(self) -> str:
        return PLACES[sum(thing in WOOD for thing in self.things) * 2 > len(self.things)]

    @property
    def is_clear(self) -> bool:
        return sum(thing in SEA for thing in self.things) * 2 != len(self.things)

    def answer(self, task: str) -> tuple[str, ...]:
        """Return the right answer to one of `TASKS`, word by word."""
        if task == "classify":
            return (self.place,)
        if task == "continue":
            return tuple(self.things[i % len(self.things)] for i in range(N_NEXT))
        return tuple(word for thing in reversed(self.things) for word in FRENCH[thing])

    @property
    def is_longer(self) -> bool:
        return any(thing in LONGER_THINGS for thing in self.things)


def parse_walk(text: str) -> tuple[Walk, tuple[str, ...]]:
    """Parse a walk that a learner typed; also return the words that are not things."""
    words = bare_words(text)
    return Walk(tuple(w for w in words if w in FRENCH)), tuple(w for w in words if w not in FRENCH)


def draw_walks(n: int, rng: np.random.Generator, n_thing: int | None = None, longer: bool | None = None) -> list[Walk]:
    """Draw walks, each thing at most once, never half by the sea and half in the wood.

    Args:
        n_thing: their length; None: drawn for each from `MIN_THINGS` to `MAX_THINGS`.
        longer: True: only walks whose translation is longer than they are; False: only the others; None: any.
    """
    found: list[Walk] = []
    while len(found) < n:
        size = int(rng.integers(MIN_THINGS, MAX_THINGS + 1)) if n_thing is None else n_thing
        walk = Walk(tuple(THINGS[i] for i in rng.permutation(len(THINGS))[:size]))
        if walk.is_clear and longer in (None, walk.is_longer):
            found.append(walk)
    return found


def encode(words: Sequence[str]) -> list[int]:
    """Convert words to ids. Raises KeyError if a word is not in `WORDS`."""
    return [WORD_IDS[word] for word in words]


def random_guess_accuracy(task: str, n_word: int) -> float:
    """Return the exact-match rate of random guessing that knows the kind and the number of words."""
    n_kind = {"classify": len(PLACES), "continue": len(THINGS), "translate": len(FRENCH_WORDS)}[task]
    return float((1 / n_kind) ** n_word)


def word_accuracy(said: Sequence[str], truth: Sequence[str]) -> float:
    """Return the fraction of the true words that are at their position."""
    return sum(a == b for a, b in zip(said, truth, strict=False)) / len(truth)
