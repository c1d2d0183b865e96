"""The visitor's progress in each lesson, kept in the browser."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.lessons.format.lesson import Lesson
from core.lessons.format.read import MAX_STEPS
from core.lessons.page import tally
from core.ui.controls.persist import MAX_CHARS, keep, recall

_NAME = "lessons"
_MARK = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*):(\d{1,2})(\*?)(?::([012]*))?", re.ASCII)


@dataclass(frozen=True)
class Mark:
    """A position in a lesson."""

    step: int  # the one looked at last, from 1
    is_done: bool  # whether the last step has been reached
    states: str = ""  # of its questions and things to do, as `core.lessons.page.tally` reads them


def marks() -> Mapping[str, Mark]:
    """All lessons that were begun, by slug, the one looked at last at the end."""
    found: dict[str, Mark] = {}
    for one in (recall(_NAME) or "").split("."):
        read = _MARK.fullmatch(one)
        if read is not None and 1 <= int(read[2]) <= MAX_STEPS:
            found[read[1]] = Mark(int(read[2]), bool(read[3]), read[4] or "")
    return found


def came_to(lesson: Lesson, step: int, states: str) -> None:
    """Note that a step of a lesson is looked at, and how its questions and things to do stand."""
    known = dict(marks())
    before = known.pop(lesson.slug, Mark(0, False))
    is_done = before.is_done or step == len(lesson.steps)
    now = Mark(step, is_done, tally.merge_states(lesson, before.states, step, states))
    if now == before:
        return
    known[lesson.slug] = now
    while len(text := ".".join(_written(name, mark) for name, mark in known.items())) > MAX_CHARS:
        known.pop(next(iter(known)))  # what was looked at longest ago
    keep(_NAME, text)


def recall_done(lesson: Lesson, step: int) -> None:
    """Mark as done in this visit what was done in a step at an earlier one."""
    if (mark := marks().get(lesson.slug)) is not None:
        tally.recall(lesson, step, mark.states)


def forget() -> None:
    """Begin anew with all lessons. For callbacks."""
    keep(_NAME, "")


def _written(slug: str, mark: Mark) -> str:
    return f"{slug}:{mark.step}{'*' if mark.is_done else ''}:{mark.states}"
