"""The findings of a computation, and the outcome of a guess about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import dataclass_transform

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Result:
    """The findings of a computation: each subclass is a frozen record, without a decorator.

        class Memory(Result):
            total: int  # bytes
            is_over: bool  # whether the text is longer than the model reads

    Prose, lessons and Download read its fields by name. Compute a value that prose needs once, as a field. An optional
    `table()` returns the numbers of the picture, columns by name. All visitors share a result.
    """

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, kw_only=True, eq=False)(cls)  # arrays cannot be compared by ==


@dataclass(frozen=True)
class GuessOutcome:
    """The outcome of a guess: a result has it as the field `outcome`, None while it is not known."""

    answer: str  # the short name of the right guess; "" if no guess is right
    text: str = ""  # the answer in words, with its figure; "": the words of the guess itself

    def sentence(self, guess: str, guesses: Mapping[str, str]) -> str:
        """Compare the guess with the outcome, in a sentence after a space; "" if nobody guessed.

        guesses: short name -> words.
        """
        text = self.in_words(guesses)
        return " " + LABELS("guessed", guess=guesses[guess], answer=text) if guess in guesses and text else ""

    def in_words(self, guesses: Mapping[str, str]) -> str:
        """Return the answer in words; "" if no guess is right and it has no text."""
        return self.text or guesses.get(self.answer, "")


def nearest_label(value: float, marks: Mapping[str, float]) -> str:
    """Return the short name whose number is closest to the value."""
    return min(marks, key=lambda name: abs(marks[name] - value))
