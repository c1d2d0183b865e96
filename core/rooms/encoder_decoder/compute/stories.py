"""Small stories whose summary is known, and questions about them whose answers are spans of the text.

"mia was tired . ben went to the river . the sun was warm . there he lost a drum ." becomes "ben lost a drum at the
river": a summary has to leave out what doesn't matter, resolve the pronoun "he", and combine two sentences. Who lost
the drum? Words 4 to 5 of the story, "ben" (the end is exclusive).
"""

from dataclasses import dataclass

import numpy as np

from core.data.synthetic import draw_option

PRONOUNS = {"mia": "she", "zoe": "she", "anna": "she", "ben": "he", "leo": "he", "tom": "he"}
PEOPLE = tuple(PRONOUNS)
DEEDS = ("found", "lost", "sold", "bought", "made", "fixed")
THINGS = ("kite", "ball", "drum", "book", "cup", "hat")
PLACES = ("park", "garden", "river", "school", "beach", "farm")
MOODS = ("tired", "happy", "sad", "hungry")
WEATHER = ("warm", "bright", "low", "high")
_FRAME = "was . went to the there a at she he sun"
WORDS = tuple(dict.fromkeys((*_FRAME.split(), *PEOPLE, *DEEDS, *THINGS, *PLACES, *MOODS, *WEATHER)))


@dataclass(frozen=True)
class Story:
    """The facts of a story, and the order of its sentences."""

    who: str  # who, deed, thing, place: the content of the summary
    deed: str
    thing: str
    place: str
    other: str  # other, mood: another person, and their mood; nothing else is said about them
    mood: str
    weather: str  # how the sun was
    # the positions, among the four sentences, of the two that don't matter: different, below 4
    order: tuple[int, int]

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the story, including full stops."""
        told = iter(
            (f"{self.who} went to the {self.place} .", f"there {PRONOUNS[self.who]} {self.deed} a {self.thing} .")
        )
        beside = {self.order[0]: f"{self.other} was {self.mood} .", self.order[1]: f"the sun was {self.weather} ."}
        return tuple(" ".join(beside[i] if i in beside else next(told) for i in range(4)).split())

    @property
    def summary(self) -> tuple[str, ...]:
        """The words of the summary: who did what where."""
        return (self.who, self.deed, "a", self.thing, "at", "the", self.place)


def draw_stories(n: int, rng: np.random.Generator) -> list[Story]:
    """Draw n stories; all their parts are drawn uniformly and independently."""
    return [_draw_one(rng) for _ in range(n)]


def _draw_one(rng: np.random.Generator) -> Story:
    who, other = (PEOPLE[i] for i in rng.permutation(len(PEOPLE))[:2])
    first, second = (int(i) for i in rng.permutation(4)[:2])
    deed, thing, place, mood, weather = (draw_option(words, rng) for words in (DEEDS, THINGS, PLACES, MOODS, WEATHER))
    return Story(who, deed, thing, place, other, mood, weather, (first, second))


QUESTION_KINDS = ("who did it", "what", "where", "who was", "how was", "the sun")
QUESTION_WORDS = ("who", "what", "where", "how", "it", "?", *WORDS)
MAX_QUESTION_WORDS = 6


@dataclass(frozen=True)
class StoryQuestion:
    """A story, a question about it, and the position of the answer."""

    story: tuple[str, ...]  # its words, including full stops
    question: tuple[str, ...]  # its words
    span: tuple[int, int]  # the answer is story[start:end]

    @property
    def answer(self) -> tuple[str, ...]:
        """The words of the span."""
        return self.story[slice(*self.span)]


def draw_story_questions(n: int, rng: np.random.Generator) -> list[StoryQuestion]:
    """Draw stories with one question each, all kinds equally likely."""
    return [story_question(story, draw_option(QUESTION_KINDS, rng)) for story in draw_stories(n, rng)]


def story_question(story: Story, kind: str) -> StoryQuestion:
    """Return one of the `QUESTION_KINDS` of questions about a story."""
    question, answer = {
        "who did it": (("who", story.deed, "the", story.thing, "?"), (story.who,)),
        "what": (("what", "was", story.deed, "?"), ("a", story.thing)),
        "where": (("where", "was", "it", "?"), ("the", story.place)),
        "who was": (("who", "was", story.mood, "?"), (story.other,)),
        "how was": (("how", "was", story.other, "?"), (story.mood,)),
        "the sun": (("how", "was", "the", "sun", "?"), (story.weather,)),
    }[kind]
    span = find_span(answer, story.words)
    assert span is not None  # every answer occurs in its story, once
    return StoryQuestion(story.words, question, span)


def find_span(words: tuple[str, ...], story: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the span of the first occurrence of consecutive words in a text; None if there is none."""
    starts = range(len(story) - len(words) + 1) if words else range(0)
    return next(((i, i + len(words)) for i in starts if story[i : i + len(words)] == words), None)
