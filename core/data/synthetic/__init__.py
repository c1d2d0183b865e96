"""Synthetic texts, for which the right answer is always known."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

import numpy as np

from core.data.synthetic.story_grammar import write_stories

__all__ = ["NOUNS", "BottleAndCup", "bottle_and_cup", "draw_option", "write_stories"]

T = TypeVar("T")
NOUNS = ("bottle", "cup", "glass", "bowl", "jug", "pot", "bucket", "vase")


@dataclass(frozen=True)
class BottleAndCup:
    """One sentence in which one word at the end decides what "it" means.

    "I poured water from the bottle into the cup until it was full": it is the cup.
    "I poured water from the bottle into the cup until it was empty": it is the bottle.
    """

    first: str
    second: str
    ending: str

    @property
    def text(self) -> str:
        return f"I poured water from the {self.first} into the {self.second} until it was {self.ending}."

    @property
    def referent(self) -> str:
        """The noun that "it" refers to: the second if it gets full, the first if it gets empty."""
        return self.second if self.ending == "full" else self.first

    @property
    def text_with_answer(self) -> str:
        """The sentence and its answer, for models that predict the next token.

        The noun always follows ". It is the", whatever happened before. So a model that counts only the words just
        before it can never do better than guessing one of the eight nouns (ln 8 = 2.08 nats).
        """
        return f"{self.text} It is the {self.referent}."


def bottle_and_cup(n: int, seed: int) -> list[BottleAndCup]:
    """Draw n sentences; all 8 x 7 pairs of nouns and both endings are equally probable.

    The same seed gives the same sentences everywhere, and the first ones do not depend on n.
    """
    rng = Random(seed)
    drawn = []
    for _ in range(n):
        first, second = rng.sample(NOUNS, 2)
        drawn.append(BottleAndCup(first, second, rng.choice(("full", "empty"))))
    return drawn


def draw_option(options: Sequence[T], rng: np.random.Generator) -> T:
    """Draw one of the options, each with equal probability."""
    return options[int(rng.integers(len(options)))]
