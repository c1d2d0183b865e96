"""Small stories whose summary is known: who did what, and where, told in one line.

"mia was tired . ben went to the river . the sun was warm . there he lost a drum ." becomes "ben lost a drum at the
river". Whoever summarizes has to leave out what does not matter, to know who "he" is, and to bring together what stands
in two sentences.
"""

from dataclasses import dataclass

import numpy as np

from core.data.synthetic.draws import one_of

THEY = {"mia": "she", "zoe": "she", "anna": "she", "ben": "he", "leo": "he", "tom": "he"}
NAMES = tuple(THEY)
DEEDS = ("found", "lost", "sold", "bought", "made", "fixed")
THINGS = ("kite", "ball", "drum", "book", "cup", "hat")
PLACES = ("park", "garden", "river", "school", "beach", "farm")
MOODS = ("tired", "happy", "sad", "hungry")
WEATHER = ("warm", "bright", "low", "high")
_FRAME = "was . went to the there a at she he sun"
WORDS = tuple(dict.fromkeys((*_FRAME.split(), *NAMES, *DEEDS, *THINGS, *PLACES, *MOODS, *WEATHER)))


@dataclass(frozen=True)
class Story:
    """What happened, and how it is told."""

    who: str  # who, deed, thing, place: what the summary says
    deed: str
    thing: str
    place: str
    other: str  # other, mood: somebody else, of whom nothing else is said
    mood: str
    weather: str  # how the sun was
    # where the two sentences that do not matter stand among the four, both below 4 and not the same
    order: tuple[int, int]

    @property
    def words(self) -> tuple[str, ...]:
        """The story, full stops being words."""
        told = iter((f"{self.who} went to the {self.place} .", f"there {THEY[self.who]} {self.deed} a {self.thing} ."))
        beside = {self.order[0]: f"{self.other} was {self.mood} .", self.order[1]: f"the sun was {self.weather} ."}
        return tuple(" ".join(beside[i] if i in beside else next(told) for i in range(4)).split())

    @property
    def summary(self) -> tuple[str, ...]:
        """Who did what where."""
        return (self.who, self.deed, "a", self.thing, "at", "the", self.place)


def draw(n: int, rng: np.random.Generator) -> list[Story]:
    """Stories; all their parts are drawn evenly, each by itself."""
    return [_draw_one(rng) for _ in range(n)]


def _draw_one(rng: np.random.Generator) -> Story:
    who, other = (NAMES[i] for i in rng.permutation(len(NAMES))[:2])
    first, second = (int(i) for i in rng.permutation(4)[:2])
    deed, thing, place, mood, weather = (one_of(words, rng) for words in (DEEDS, THINGS, PLACES, MOODS, WEATHER))
    return Story(who, deed, thing, place, other, mood, weather, (first, second))
