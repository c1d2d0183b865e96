"""The visitor's progress in each lesson, stored in the browser: tasks that are done, only shown, or still open."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.lessons.format.lesson import Check, Do, Lesson, Predict, Step
from core.lessons.format.read import MAX_STEPS
from core.lessons.page import exhibit_parts, questions
from core.lessons.page.conditions import trained_in
from core.ui.controls.persist import MAX_CHARS, keep, recall

_NAME = "lessons"
_MARK = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*):(\d{1,2})(\*?)(?::([012]*))?", re.ASCII)
OPEN, SHOWN, DONE = "0", "1", "2"  # in this order, so that a task that was done stays done
Task = Predict | Check | Do


@dataclass(frozen=True)
class Mark:
    """A position in a lesson."""

    step: int  # the last one visited, from 1
    is_done: bool  # True if the last step has been reached
    states: str = ""  # of its questions and things to do, as `tally` reads them


def marks() -> Mapping[str, Mark]:
    """Return the marks of all lessons that were begun, by slug, the last visited one last."""
    found: dict[str, Mark] = {}
    for one in (recall(_NAME) or "").split("."):
        read = _MARK.fullmatch(one)
        if read is not None and 1 <= int(read[2]) <= MAX_STEPS:
            found[read[1]] = Mark(int(read[2]), bool(read[3]), read[4] or "")
    return found


def note_step(lesson: Lesson, step: int, states: str) -> None:
    """Store that a step of a lesson is visited, and the states of its questions and things to do."""
    known = dict(marks())
    before = known.pop(lesson.slug, Mark(0, False))
    is_done = before.is_done or step == len(lesson.steps)
    now = Mark(step, is_done, merge_states(lesson, before.states, step, states))
    if now == before:
        return
    known[lesson.slug] = now
    while len(text := ".".join(_written(name, mark) for name, mark in known.items())) > MAX_CHARS:
        known.pop(next(iter(known)))  # the lesson visited longest ago
    keep(_NAME, text)


def recall_done(lesson: Lesson, number: int) -> None:
    """Mark the things that were done in a step at an earlier visit as done in this visit."""
    if (mark := marks().get(lesson.slug)) is None:
        return
    first = sum(len(tasks(step)) for step in lesson.steps[: number - 1])
    some = tasks(lesson.steps[number - 1])
    for (_, task), state in zip(some, valid_states(lesson, mark.states)[first:], strict=False):
        if isinstance(task, Do) and state == DONE:
            exhibit_parts.mark_done(f"{lesson.slug}.{number}", task)


def forget() -> None:
    """Delete the progress of all lessons. For callbacks."""
    keep(_NAME, "")


def _written(slug: str, mark: Mark) -> str:
    return f"{slug}:{mark.step}{'*' if mark.is_done else ''}:{mark.states}"


@dataclass(frozen=True)
class Count:
    """The number of tasks of one kind, of those done, and of those shown without a guess."""

    of: int
    done: int
    shown: int

    @property
    def open(self) -> int:
        return self.of - self.done - self.shown


@dataclass(frozen=True)
class Tally:
    """The counts of a lesson's tasks by kind."""

    predictions: Count
    checks: Count
    trainings: Count
    others: Count  # other things to do
    open_steps: tuple[int, ...]  # steps in which something is open

    @property
    def open(self) -> int:
        return sum(one.open for one in (self.predictions, self.checks, self.trainings, self.others))

    @property
    def shown(self) -> int:
        return self.predictions.shown + self.checks.shown


def tasks(step: Step) -> tuple[tuple[int, Task], ...]:
    """Return the questions and things to do of a step, each with its index among the parts."""
    return tuple((i, part) for i, part in enumerate(step.parts) if isinstance(part, Task))


def states(step: Step, place: str) -> str:
    """Return the states of the tasks of a step in this visit, one character each."""
    return "".join(_state(part, i, place) for i, part in tasks(step))


def _state(task: Task, i: int, place: str) -> str:
    if isinstance(task, Do):
        return DONE if exhibit_parts.is_done_here(place, task) else OPEN
    said = questions.question_state(f"{place}.{i}")
    return OPEN if said.is_open else SHOWN if said.guess is None else DONE


def merge_states(lesson: Lesson, known: str, number: int, now: str) -> str:
    """Return the states of all tasks of a lesson after a visit to step `number`.

    Stored states have a different length if the lesson's file has changed, and are then ignored.
    """
    all_states = list(valid_states(lesson, known))
    first = sum(len(tasks(step)) for step in lesson.steps[: number - 1])
    all_states[first : first + len(now)] = [max(pair) for pair in zip(all_states[first:], now, strict=False)]
    return "".join(all_states)


def valid_states(lesson: Lesson, known: str) -> str:
    """Return the stored states if they fit this lesson; otherwise everything is open."""
    n = sum(len(tasks(step)) for step in lesson.steps)
    return known if len(known) == n else OPEN * n


def tally(lesson: Lesson, known: str) -> Tally:
    """Count the stored states of a lesson by kind of task."""
    found = [(number, task) for number, step in enumerate(lesson.steps, 1) for _, task in tasks(step)]
    every = [(number, task, state) for (number, task), state in zip(found, valid_states(lesson, known), strict=True)]
    kinds: dict[str, list[str]] = {"predictions": [], "checks": [], "trainings": [], "others": []}
    for _, task, state in every:
        kinds[_kind(task)].append(state)
    return Tally(
        **{kind: _count(some) for kind, some in kinds.items()},
        open_steps=tuple(sorted({number for number, _, state in every if state == OPEN})),
    )


def _kind(task: Task) -> str:
    if isinstance(task, Do):
        return "trainings" if trained_in([Step(title="", parts=(task,))]) else "others"
    return "predictions" if isinstance(task, Predict) else "checks"


def _count(some: Sequence[str]) -> Count:
    return Count(len(some), some.count(DONE), some.count(SHOWN))
