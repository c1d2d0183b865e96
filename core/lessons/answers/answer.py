"""An answer, and the list of all that can be asked for by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from core.ui.training import live


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


EXAMPLE = "Computed from the example that ships."
ANSWERS: dict[str, Callable[..., Answer | NotYet]] = {}


def answer(name: str) -> Callable[[Callable[..., Answer | NotYet]], Callable[..., Answer | NotYet]]:
    """Register a function as the answer of this name, "subject.question".

    What the lesson explains is true of the examples that ship: whatever a learner has trained, an answer is computed
    from these, and says so; but for those of `trainings.own`.
    """

    def register(compute: Callable[..., Answer | NotYet]) -> Callable[..., Answer | NotYet]:
        if name in ANSWERS:
            raise ValueError(f"two answers are called {name!r}")

        @wraps(compute)
        def pinned(*args: Any, **given: Any) -> Answer | NotYet:
            with live.pinned() as pin:
                found = compute(*args, **given)
            if isinstance(found, NotYet) or not pin.examples:
                return found
            return replace(found, sentence=f"{found.sentence} {EXAMPLE}")

        ANSWERS[name] = pinned
        return pinned

    return register
