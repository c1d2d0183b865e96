"""A sentence to ask about, for the exhibits of this room."""

from typing import Any

from core import ui
from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.inputs import segmented, select


def first_noun(heading: str) -> Any:
    """The control of the first noun, below a heading."""
    return select("Water from the …", NOUNS, NOUNS[0], heading=heading)


SECOND_NOUN = select("into the …", NOUNS, NOUNS[1])
ENDING = segmented("until it was …", referents.ENDINGS, "full")


def sentence_of(inputs: Any, ending: str = "") -> BottleAndCup:
    """What the controls say, or with another ending; water can't be poured from a vessel into itself."""
    first, second = inputs.first, inputs.second
    if first == second:
        second = NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
    return BottleAndCup(first, second, ending or inputs.ending)


def say_if_same(inputs: Any) -> None:
    """Tell that the second noun is another one than was asked for."""
    if inputs.first == inputs.second:
        ui.say("same", instead=sentence_of(inputs).second)
