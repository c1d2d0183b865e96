"""The visitor's progress in each lesson, stored in the browser: tasks that are done, only shown, or still open."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.lessons.format.lesson import CheckQuestion, ExhibitTask, Lesson, LessonStep, PredictQuestion
from core.lessons.format.parser import MAX_STEPS
from core.lessons.lesson_ui import exhibit_with_tasks, question_view
from core.lessons.lesson_ui.conditions import trained_experiments
from core.ui.controls.browser_storage import MAX_CHARS, load_from_browser, store_in_browser

_NAME = "lessons"
_MARK = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*):(\d{1,2})(\*?)(?::([012]*))?", re.ASCII)
OPEN, SHOWN, DONE = "0", "1", "2"  # in this order, so that a task that was done stays done
LessonTask = PredictQuestion | CheckQuestion | ExhibitTask


@dataclass(frozen=True)
class LessonProgress:
    """A position in a lesson."""

    step: int  # the last one visited, from 1
    is_done: bool  # True if the last step has been reached
    states: str = ""  # of its questions and things to do, as `count_lesson_tasks` reads them


def progress_by_lesson() -> Mapping[str, LessonProgress]:
    """Return the marks of all lessons that were begun, by slug, the last visited one last."""
    found: dict[str, LessonProgress] = {}
    for one in (load_from_browser(_NAME) or "").split("."):
        read = _MARK.fullmatch(one)
        if read is not None and 1 <= int(read[2]) <= MAX_STEPS:
            found[read[1]] = LessonProgress(int(read[2]), bool(read[3]), read[4] or "")
    return found


def store_step(lesson: Lesson, step: int, states: str) -> None:
    """Store that a step of a lesson is visited, and the states of its questions and things to do."""
    known = dict(progress_by_lesson())
    before = known.pop(lesson.slug, LessonProgress(0, False))
    is_done = before.is_done or step == len(lesson.steps)
    now = LessonProgress(step, is_done, _merge_states(lesson, before.states, step, states))
    if now == before:
        return
    known[lesson.slug] = now
    while len(text := ".".join(_written(name, mark) for name, mark in known.items())) > MAX_CHARS:
        known.pop(next(iter(known)))  # the lesson visited longest ago
    store_in_browser(_NAME, text)


def restore_done_tasks(lesson: Lesson, number: int) -> None:
    """Mark the things that were done in a step at an earlier visit as done in this visit."""
    if (mark := progress_by_lesson().get(lesson.slug)) is None:
        return
    first = sum(len(_step_tasks(step)) for step in lesson.steps[: number - 1])
    some = _step_tasks(lesson.steps[number - 1])
    for (_, task), state in zip(some, _valid_states(lesson, mark.states)[first:], strict=False):
        if isinstance(task, ExhibitTask) and state == DONE:
            exhibit_with_tasks.mark_task_done(f"{lesson.slug}.{number}", task)


def clear_progress() -> None:
    """Delete the progress of all lessons. For callbacks."""
    store_in_browser(_NAME, "")


def _written(slug: str, mark: LessonProgress) -> str:
    return f"{slug}:{mark.step}{'*' if mark.is_done else ''}:{mark.states}"


@dataclass(frozen=True)
class TaskCount:
    """The number of tasks of one kind, of those done, and of those shown without a guess."""

    of: int
    done: int
    shown: int

    @property
    def open(self) -> int:
        return self.of - self.done - self.shown


@dataclass(frozen=True)
class LessonTaskCounts:
    """The counts of a lesson's tasks by kind."""

    predictions: TaskCount
    checks: TaskCount
    trainings: TaskCount
    others: TaskCount  # other things to do
    open_steps: tuple[int, ...]  # steps in which something is open

    @property
    def open(self) -> int:
        return sum(one.open for one in (self.predictions, self.checks, self.trainings, self.others))

    @property
    def shown(self) -> int:
        return self.predictions.shown + self.checks.shown


def _step_tasks(step: LessonStep) -> tuple[tuple[int, LessonTask], ...]:
    """Return the questions and things to do of a step, each with its index among the parts."""
    return tuple((i, part) for i, part in enumerate(step.parts) if isinstance(part, LessonTask))


def task_states(step: LessonStep, place: str) -> str:
    """Return the states of the tasks of a step in this visit, one character each."""
    return "".join(_state(part, i, place) for i, part in _step_tasks(step))


def _state(task: LessonTask, i: int, place: str) -> str:
    if isinstance(task, ExhibitTask):
        return DONE if exhibit_with_tasks.is_task_done(place, task) else OPEN
    said = question_view.question_state(f"{place}.{i}")
    return OPEN if said.is_open else SHOWN if said.guess is None else DONE


def _merge_states(lesson: Lesson, known: str, number: int, now: str) -> str:
    """Return the states of all tasks of a lesson after a visit to step `number`.

    Stored states have a different length if the lesson's file has changed, and are then ignored.
    """
    all_states = list(_valid_states(lesson, known))
    first = sum(len(_step_tasks(step)) for step in lesson.steps[: number - 1])
    all_states[first : first + len(now)] = [max(pair) for pair in zip(all_states[first:], now, strict=False)]
    return "".join(all_states)


def _valid_states(lesson: Lesson, known: str) -> str:
    """Return the stored states if they fit this lesson; otherwise everything is open."""
    n = sum(len(_step_tasks(step)) for step in lesson.steps)
    return known if len(known) == n else OPEN * n


def count_lesson_tasks(lesson: Lesson, known: str) -> LessonTaskCounts:
    """Count the stored states of a lesson by kind of task."""
    found = [(number, task) for number, step in enumerate(lesson.steps, 1) for _, task in _step_tasks(step)]
    every = [(number, task, state) for (number, task), state in zip(found, _valid_states(lesson, known), strict=True)]
    kinds: dict[str, list[str]] = {"predictions": [], "checks": [], "trainings": [], "others": []}
    for _, task, state in every:
        kinds[_kind(task)].append(state)
    return LessonTaskCounts(
        **{kind: _count(some) for kind, some in kinds.items()},
        open_steps=tuple(sorted({number for number, _, state in every if state == OPEN})),
    )


def _kind(task: LessonTask) -> str:
    if isinstance(task, ExhibitTask):
        return "trainings" if trained_experiments([LessonStep(title="", parts=(task,))]) else "others"
    return "predictions" if isinstance(task, PredictQuestion) else "checks"


def _count(some: Sequence[str]) -> TaskCount:
    return TaskCount(len(some), some.count(DONE), some.count(SHOWN))
