"""Stories whose beginning decides a word that comes later: what probes learn from, and what they are asked about."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.synthetic.story_grammar import COLORS, PEOPLE, lost_and_found, wind

N_LEARNED, N_HELD = 500, 150  # stories that a probe learns from, and others that it is asked about
CHUNK = 25  # texts in one pass: the fastest
NAMES = tuple(one.name for one in PEOPLE)
IS_SHE = MappingProxyType({one.name: int(one.they == "she") for one in PEOPLE})
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Question:
    """Something that a story decides, and that the model has to say next.

    Attributes:
        plot: of the stories.
        before: the last words that are read; the probe reads the place of the very last.
        answers: the words that may come next, by class.
        truth: a story -> the class.
    """

    plot: Callable[[Random], list[str]]
    before: str
    answers: tuple[str, ...]
    truth: Callable[[str], int]

    def beginning(self, story: str) -> str:
        """The story as far as it is read."""
        return story[: story.index(self.before) + len(self.before)]


def child(story: str) -> str:
    """Whom it is about: the first name."""
    return next(word for word in words(story) if word in NAMES)


def color(story: str) -> str:
    """Of the thing that was lost."""
    return next(word for word in words(story) if word in COLORS)


def words(story: str) -> list[str]:
    return re.findall(r"\w+", story)


QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "pronoun": Question(lost_and_found, ". Then", (" he", " she"), lambda story: IS_SHE[child(story)]),
        "color": Question(
            wind, "Did you see a", tuple(f" {one}" for one in COLORS), lambda story: COLORS.index(color(story))
        ),
    }
)


@dataclass(frozen=True)
class Texts:
    """Beginnings of stories, all different.

    Attributes:
        ids: (B, T), zeros behind the shorter ones.
        at: (B,) the last place of each.
        truth: (B,) the class.
        drawn: (B,) what was drawn for the child's name: the control task.
    """

    ids: Int[Tensor, "B T"]
    at: Int[Tensor, " B"]
    truth: Labels
    drawn: Labels

    def __getitem__(self, part: slice) -> "Texts":
        return Texts(self.ids[part], self.at[part], self.truth[part], self.drawn[part])

    @property
    def rows(self) -> Int[Tensor, " B"]:
        return torch.arange(len(self.at))

    def parts(self) -> "list[Texts]":
        """In pieces: so many are the fastest to compute."""
        return [self[i : i + CHUNK] for i in range(0, len(self.at), CHUNK)]


def texts(question: Question, encode: Callable[[str], Sequence[int]], seed: int) -> tuple[Texts, Texts]:
    """To learn from, and held out. Names and colors are drawn evenly; the classes of the control task, too.

    Source of the control task: Hewitt and Liang 2019 (1909.03368), section 2.
    """
    random, found = Random(seed), dict[str, None]()
    while len(found) < N_LEARNED + N_HELD:
        found[" ".join(question.plot(random))] = None
    classes = [i % len(question.answers) for i in range(len(NAMES))]
    random.shuffle(classes)
    drawn = dict(zip(NAMES, classes, strict=True))
    rows = [list(encode("\n\n" + question.beginning(story))) for story in found]
    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
    at = torch.tensor([len(row) - 1 for row in rows])
    truth = np.array([question.truth(story) for story in found])
    all_ = Texts(ids, at, truth, np.array([drawn[child(story)] for story in found]))
    return all_[:N_LEARNED], all_[N_LEARNED:]
