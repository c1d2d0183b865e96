"""A toy world in which every question has one right answer: ten things with a color and a place, and sums up to 18.

The writers in this world make one mistake: in a sum beyond 9 they often drop the ten (7 plus 5 is 2). A model that only
imitates them learns that mistake; a checker, which computes the sum, doesn't.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import torch
from jaxtyping import Int
from torch import Tensor

Item = TypeVar("Item")
# thing -> its color, and the place it is in.
FACTS: Mapping[str, tuple[str, str]] = {
    "ball": ("red", "box"),
    "cup": ("blue", "drawer"),
    "hat": ("green", "car"),
    "book": ("white", "bag"),
    "lamp": ("black", "shed"),
    "key": ("blue", "bag"),
    "shoe": ("red", "car"),
    "bell": ("green", "box"),
    "coat": ("white", "shed"),
    "ring": ("black", "drawer"),
}
COLORS = ("red", "blue", "green", "white", "black")
PLACES = ("box", "drawer", "car", "bag", "shed")
NUMBERS = tuple(str(i) for i in range(19))
DROP_RATE = 0.65  # how often a writer drops the ten
USER, ASSISTANT, END = "<user>", "<assistant>", "<end>"
TEMPLATE = (END, USER, ASSISTANT)
GRAMMAR = ("the", "is", "in", ".", "?", ",", "what", "color", "where", "now", "plus", "it")
MANNERS = ("happy", "to", "help", "look", "up", "yourself")
WORDS = (*TEMPLATE, *GRAMMAR, *MANNERS, *FACTS, *COLORS, *PLACES, *NUMBERS)
IDS: Mapping[str, int] = {word: i for i, word in enumerate(WORDS)}
ANSWERS = frozenset((*COLORS, *PLACES, *NUMBERS))
QUESTION_WORDS = 6  # the length of every question, so that prompts need no padding


@dataclass(frozen=True)
class WorldQuestion:
    """A question and its right answer."""

    words: tuple[str, ...]  # six words, the last one is "?"
    kind: str  # "color", "place" or "sum"
    truth: str  # the right word
    habit: str = ""  # the wrong word that writers often use; "": they make no mistake here

    @property
    def text(self) -> str:
        return " ".join(self.words)


def color_question(thing: str) -> WorldQuestion:
    """Return the question about a thing's color."""
    return WorldQuestion(("what", "color", "is", "the", thing, "?"), "color", FACTS[thing][0])


def place_question(thing: str) -> WorldQuestion:
    """Return the question about the place that a thing is in."""
    return WorldQuestion(("where", "is", "the", thing, "now", "?"), "place", FACTS[thing][1])


def sum_question(a: int, b: int) -> WorldQuestion:
    """Return the question about the sum of two digits."""
    habit = str(a + b - 10) if a + b > 9 else ""
    return WorldQuestion(("what", "is", str(a), "plus", str(b), "?"), "sum", str(a + b), habit)


ABOUT_THINGS = tuple(of(thing) for thing in FACTS for of in (color_question, place_question))
SUMS = tuple(sum_question(a, b) for a, b in product(range(10), repeat=2))
HARD_SUMS = tuple(one for one in SUMS if one.habit)  # beyond 9, where writers drop the ten
QUESTIONS = ABOUT_THINGS + SUMS
# In no demonstration; these test whether facts read only in plain text can be given as answers.
UNDEMONSTRATED = tuple(one for one in ABOUT_THINGS if {"bell", "coat", "ring"} & {*one.words})


def encode_words(words: Iterable[str]) -> list[int]:
    """Return the ids of words. Raises KeyError for a word that isn't in the vocabulary."""
    return [IDS[word] for word in words]


def decode_words(ids: Iterable[int]) -> tuple[str, ...]:
    """Return the words of ids."""
    return tuple(WORDS[int(i)] for i in ids)


def sample_uniform(generator: torch.Generator) -> float:
    """Sample a uniform number from 0 to 1."""
    return float(torch.rand((), generator=generator))


def sample_item(some: Sequence[Item], generator: torch.Generator) -> Item:
    """Pick one item at random, each with the same probability."""
    return some[int(torch.randint(len(some), (), generator=generator))]


def sample_question(generator: torch.Generator, asked: Sequence[WorldQuestion] = ABOUT_THINGS) -> WorldQuestion:
    """Sample a question, about things or a sum with probability one half each."""
    return sample_item(asked if sample_uniform(generator) < 0.5 else SUMS, generator)


def writer_answer(question: WorldQuestion, generator: torch.Generator) -> str:
    """Return a writer's answer, which is right except that the ten is often dropped."""
    return question.habit if question.habit and sample_uniform(generator) < DROP_RATE else question.truth


def statement(question: WorldQuestion, generator: torch.Generator) -> tuple[str, ...]:
    """Return the answer to a question as a sentence in a plain text."""
    said = writer_answer(question, generator)
    if question.kind == "sum":
        return (*question.words[2:5], "is", said, ".")
    thing = question.words[4 if question.kind == "color" else 3]
    return ("the", thing, "is", *(("in", "the") if question.kind == "place" else ()), said, ".")


def sample_texts(n: int, length: int, generator: torch.Generator) -> Int[Tensor, "n length"]:
    """Sample plain texts for pretraining, half of them statements and half of them questions.

    No question in them is answered: each question is followed by another question.
    """
    found = []
    for i in range(n):
        words: list[str] = []
        while len(words) < length:
            one = sample_question(generator)
            words += one.words if i % 2 else statement(one, generator)
        found.append(encode_words(words[:length]))
    return torch.tensor(found)
