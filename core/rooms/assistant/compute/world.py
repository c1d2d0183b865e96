"""A toy world in which every question has one right answer: ten things with a color and a place, and sums up to 18.

Who writes about it makes one mistake: where a sum goes beyond 9, the ten is often dropped (7 plus 5 is 2). So a model
that only imitates learns that mistake, and a checker, which computes, doesn't.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import torch
from jaxtyping import Int
from torch import Tensor

Item = TypeVar("Item")
# thing -> its color, and what it is in.
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
DROPPED = 0.65  # how often a writer drops the ten
USER, ASSISTANT, END = "<user>", "<assistant>", "<end>"
TEMPLATE = (END, USER, ASSISTANT)
GRAMMAR = ("the", "is", "in", ".", "?", ",", "what", "color", "where", "now", "plus", "it")
MANNERS = ("happy", "to", "help", "look", "up", "yourself")
WORDS = (*TEMPLATE, *GRAMMAR, *MANNERS, *FACTS, *COLORS, *PLACES, *NUMBERS)
IDS: Mapping[str, int] = {word: i for i, word in enumerate(WORDS)}
ANSWERS = frozenset((*COLORS, *PLACES, *NUMBERS))
QUESTION_WORDS = 6  # of every question, so that prompts need no padding


@dataclass(frozen=True)
class Question:
    """A question, and what answers it."""

    words: tuple[str, ...]  # six of them, the last is "?"
    kind: str  # "color", "place" or "sum"
    truth: str  # the word that is right
    habit: str = ""  # the word that writers often put instead; "": they make no mistake here

    @property
    def text(self) -> str:
        return " ".join(self.words)


def color_of(thing: str) -> Question:
    """What color is it?"""
    return Question(("what", "color", "is", "the", thing, "?"), "color", FACTS[thing][0])


def place_of(thing: str) -> Question:
    """What is it in?"""
    return Question(("where", "is", "the", thing, "now", "?"), "place", FACTS[thing][1])


def sum_of(a: int, b: int) -> Question:
    """What is the sum of two digits?"""
    habit = str(a + b - 10) if a + b > 9 else ""
    return Question(("what", "is", str(a), "plus", str(b), "?"), "sum", str(a + b), habit)


ABOUT_THINGS = tuple(of(thing) for thing in FACTS for of in (color_of, place_of))
SUMS = tuple(sum_of(a, b) for a, b in product(range(10), repeat=2))
HARD = tuple(one for one in SUMS if one.habit)  # beyond 9, where writers drop the ten
QUESTIONS = ABOUT_THINGS + SUMS
# Asked in no demonstration: whether what was only read in plain text comes out as an answer.
UNSHOWN = tuple(one for one in ABOUT_THINGS if {"bell", "coat", "ring"} & {*one.words})


def encode(words: Iterable[str]) -> list[int]:
    """Ids of words. Raises KeyError for one that the world doesn't have."""
    return [IDS[word] for word in words]


def decode(ids: Iterable[int]) -> tuple[str, ...]:
    """Words of ids."""
    return tuple(WORDS[int(i)] for i in ids)


def chance(generator: torch.Generator) -> float:
    """A number from 0 to 1, uniform."""
    return float(torch.rand((), generator=generator))


def pick(some: Sequence[Item], generator: torch.Generator) -> Item:
    """One of them, each as likely."""
    return some[int(torch.randint(len(some), (), generator=generator))]


def a_question(generator: torch.Generator, asked: Sequence[Question] = ABOUT_THINGS) -> Question:
    """About things or a sum, half each."""
    return pick(asked if chance(generator) < 0.5 else SUMS, generator)


def written_answer(question: Question, generator: torch.Generator) -> str:
    """What a writer of this world says: right, but for the ten that gets lost."""
    return question.habit if question.habit and chance(generator) < DROPPED else question.truth


def statement(question: Question, generator: torch.Generator) -> tuple[str, ...]:
    """What a text says of it, as a sentence."""
    said = written_answer(question, generator)
    if question.kind == "sum":
        return (*question.words[2:5], "is", said, ".")
    thing = question.words[4 if question.kind == "color" else 3]
    return ("the", thing, "is", *(("in", "the") if question.kind == "place" else ()), said, ".")


def texts(n: int, length: int, generator: torch.Generator) -> Int[Tensor, "n length"]:
    """Plain texts to predict: sheets of statements, and sheets of questions, as many of each.

    Nothing in them answers a question: what follows one is another one.
    """
    found = []
    for i in range(n):
        words: list[str] = []
        while len(words) < length:
            one = a_question(generator)
            words += one.words if i % 2 else statement(one, generator)
        found.append(encode(words[:length]))
    return torch.tensor(found)
