"""An answer, and the list of all that can be asked for by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What came.

    Attributes:
        value: the option's short name, the number, or the curve's heights.
        sentence: how it was found, with its figures; Markdown of ours, never a visitor's text.
        code: the function that computed it, for its source.
    """

    value: str | float | Sequence[float]
    sentence: str
    code: Callable[..., Any] | None = None


@dataclass(frozen=True)
class NotYet:
    """Nothing to answer with so far; `sentence` says what to do."""

    sentence: str


ANSWERS: dict[str, Callable[..., Answer | NotYet]] = {}


def answer(name: str) -> Callable[[Callable[..., Answer | NotYet]], Callable[..., Answer | NotYet]]:
    """Register a function as the answer of this name, "subject.question"."""

    def register(compute: Callable[..., Answer | NotYet]) -> Callable[..., Answer | NotYet]:
        if name in ANSWERS:
            raise ValueError(f"two answers are called {name!r}")
        ANSWERS[name] = compute
        return compute

    return register
