"""Questions about small stories (`summaries`) whose answers stand in the text: answering by extraction.

"mia was tired . ben went to the river . the sun was warm . there he lost a drum ." Who lost the drum? Words 4 to 5 of
the story, "ben" (the end is one past the last). Where was it? Words 7 to 9, "the river".
"""

from dataclasses import dataclass

import numpy as np

from core.data.synthetic.draws import one_of
from core.rooms.encoder_decoder.compute import summaries
from core.rooms.encoder_decoder.compute.summaries import Story

KINDS = ("who did it", "what", "where", "who was", "how was", "the sun")
WORDS = tuple(dict.fromkeys(("who", "what", "where", "how", "it", "?", *summaries.WORDS)))
MOST = 6  # words of a question


@dataclass(frozen=True)
class Asked:
    """A story, a question about it, and where the answer stands."""

    story: tuple[str, ...]  # its words, full stops among them
    question: tuple[str, ...]  # its words
    span: tuple[int, int]  # the answer is story[start:end]

    @property
    def answer(self) -> tuple[str, ...]:
        """The words of the span."""
        return self.story[slice(*self.span)]


def draw(n: int, rng: np.random.Generator) -> list[Asked]:
    """Stories with one question each, every kind as often."""
    return [ask(story, one_of(KINDS, rng)) for story in summaries.draw(n, rng)]


def ask(story: Story, kind: str) -> Asked:
    """One of the `KINDS` of questions about a story."""
    question, answer = {
        "who did it": (("who", story.deed, "the", story.thing, "?"), (story.who,)),
        "what": (("what", "was", story.deed, "?"), ("a", story.thing)),
        "where": (("where", "was", "it", "?"), ("the", story.place)),
        "who was": (("who", "was", story.mood, "?"), (story.other,)),
        "how was": (("how", "was", story.other, "?"), (story.mood,)),
        "the sun": (("how", "was", "the", "sun", "?"), (story.weather,)),
    }[kind]
    span = find(answer, story.words)
    assert span is not None  # every answer stands in its story, once
    return Asked(story.words, question, span)


def find(words: tuple[str, ...], story: tuple[str, ...]) -> tuple[int, int] | None:
    """Where some words stand in a text, side by side, for the first time; None if they do not."""
    starts = range(len(story) - len(words) + 1) if words else range(0)
    return next(((i, i + len(words)) for i in starts if story[i : i + len(words)] == words), None)
