"""Conditions of a lesson's "do this", evaluated by `core.ui.exhibit.completion_conditions`."""

from collections.abc import Iterable

from core.lessons.format.lesson import ExhibitTask, LessonStep
from core.rooms import all_exhibits
from core.ui.exhibit.completion_conditions import (
    EVENT,
    STUDIO,
    StepBaseline,
    _expected_value,
    condition_problem,
    is_condition_met,
    split_conjunction,
)

__all__ = [
    "STUDIO",
    "StepBaseline",
    "_expected_value",
    "is_condition_met",
    "lesson_condition_problem",
    "split_conjunction",
    "trainable_names",
    "trained_experiments",
]


def lesson_condition_problem(when: str) -> str | None:
    """Return the problem with a condition as a message, or None if it is valid."""
    return condition_problem(when, trainable_names())


def trainable_names() -> frozenset[str]:
    """Return everything that can be trained: the experiments of all exhibits, and the studio."""
    return frozenset(name for entry in all_exhibits().values() for name in entry.experiments) | {STUDIO}


def trained_experiments(steps: Iterable[LessonStep]) -> frozenset[str]:
    """Return the experiments that the reader trains in these steps."""
    dos = (part for step in steps for part in step.parts if isinstance(part, ExhibitTask))
    return frozenset(
        word[4] for do in dos for one in split_conjunction(do.when) if (word := EVENT.fullmatch(one)) and word[3]
    )
