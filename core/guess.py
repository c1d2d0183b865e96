"""A guess before a result is shown, and what came.

class Result(Guessed):
    guesses = {"more": "more than half", "less": "less"}
    guess: str

    @property
    def came(self) -> Came:
        return Came("more" if self.share > 0.5 else "less", f"{self.share:.0%}")
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Came:
    """What came.

    Attributes:
        answer: the right guess, by its short name; "" where none came true.
        words: how one says it, with its figure; "": as the guess is said.
    """

    answer: str
    words: str = ""


class Guessed:
    """A result that one guesses before it is shown.

    Attributes:
        guesses: what could be guessed: short name -> words.
        guess: one of them, or `core.inputs.NOT_YET` or `SHOW`.
    """

    guesses: ClassVar[Mapping[str, str]]
    guess: str

    @property
    def came(self) -> Came | None:
        """What came; None: it is not known yet."""
        raise NotImplementedError

    @property
    def came_in_words(self) -> str:
        """As one says it; empty while it is not known."""
        came = self.came
        return "" if came is None else came.words or self.guesses[came.answer]

    @property
    def guess_result(self) -> str:
        """The guess beside what came, in one sentence after a space; empty where nobody guessed."""
        if self.guess not in self.guesses or not (came := self.came_in_words):
            return ""
        return f" You guessed: {self.guesses[self.guess]}. The answer: {came}."


def nearest(value: float, marks: Mapping[str, float]) -> str:
    """The short name whose number is the nearest."""
    return min(marks, key=lambda name: abs(marks[name] - value))
