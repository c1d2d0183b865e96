"""Conditions of a lesson's "do this", evaluated by `core.ui.exhibit.conditions`."""

from collections.abc import Iterable

from core.lessons.format.lesson import Do, Step
from core.rooms import exhibits
from core.ui.exhibit.conditions import STUDIO, WORD, Since, is_done, parts, problem, wanted

__all__ = ["STUDIO", "Since", "check_condition", "is_done", "parts", "trainable", "trained_in", "wanted"]


def check_condition(when: str) -> str | None:
    """Return the problem with a condition as a message, or None if it is valid."""
    return problem(when, trainable())


def trainable() -> frozenset[str]:
    """Return everything that can be trained: the experiments of all exhibits, and the studio."""
    return frozenset(name for entry in exhibits().values() for name in entry.live) | {STUDIO}


def trained_in(steps: Iterable[Step]) -> frozenset[str]:
    """Return the experiments that the reader trains in these steps."""
    dos = (part for step in steps for part in step.parts if isinstance(part, Do))
    return frozenset(word[4] for do in dos for one in parts(do.when) if (word := WORD.fullmatch(one)) and word[3])
