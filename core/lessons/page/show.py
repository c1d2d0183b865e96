"""A lesson on the page: one step at a time, with buttons to the previous and the next one."""

import streamlit as st

from core.lessons.format.lesson import Check, Code, Do, ExhibitPart, Lesson, Predict, Prose, Step
from core.lessons.format.names import find
from core.lessons.page import conditions, exhibit_parts, homework, progress, questions, steps
from core.ui.exhibit.panels import show_source
from core.ui.frame import depth, layout
from core.ui.frame.element_keys import frame_key
from core.ui.frame.page import begin_at_top
from core.ui.text import escape_markdown


def show_lesson(lesson: Lesson) -> None:
    """Draw the step that the address names, and the buttons to other steps."""
    number = step_number(len(lesson.steps))
    step = lesson.steps[number - 1]
    progress.recall_done(lesson, number)
    begin_at_top(f"{lesson.slug} {number}")
    steps.header(lesson, number)
    homework.begin(lesson)
    with st.container(
        key=frame_key("lesson-step", f"{lesson.slug}-{number}")
    ):  # each step has its own key, so that no element is carried over
        st.header(escape_markdown(step.title), anchor=False)
        n_open = show_step(step, f"{lesson.slug}.{number}", number, conditions.trained_in(lesson.steps[:number]))
    progress.note_step(lesson, number, progress.states(step, f"{lesson.slug}.{number}"))
    if number == len(lesson.steps):
        steps.ending(lesson)
        homework.ending(lesson)
    steps.way_on(lesson, number, n_open)


def step_number(n_step: int) -> int:
    """Return the step that the address names, or the nearest existing step."""
    asked_for = st.query_params.get("step", "1")
    number = int(asked_for) if asked_for.isascii() and asked_for.isdigit() and len(asked_for) < 4 else 1
    return min(max(number, 1), n_step)


def show_step(step: Step, place: str, number: int, trains: frozenset[str] = frozenset()) -> int:
    """Draw a step, and return how many tasks are still open. `trains`: see `exhibit_parts.show_exhibit`."""
    n_open, n_piece = 0, 0
    parts = step.parts
    loose = tuple(part for part in _until_piece(parts, 0) if isinstance(part, Do))
    for i, part in enumerate(parts):
        if isinstance(part, Prose):
            if depth.at_least(part.depth):
                layout.prose(part.text)
        elif isinstance(part, Code):
            _show_code(part, f"{place}.{i}")
        elif isinstance(part, Predict):
            if not questions.predict(part, f"{place}.{i}"):
                return n_open + 1 + _hold_back(parts[i + 1 :])
        elif isinstance(part, Check):
            n_open += not questions.check(part, f"{place}.{i}")
        elif isinstance(part, Do):
            if part in loose[:1]:
                n_open += exhibit_parts.show_loose(loose, f"{place}.loose")
        elif isinstance(part, ExhibitPart):
            n_piece += 1
            dos = tuple(one for one in _until_piece(parts, i + 1) if isinstance(one, Do))
            key = f"s{number}" if n_piece == 1 else f"s{number}.{n_piece}"
            n_open += exhibit_parts.show_exhibit(part, key, dos, place, trains)
    return n_open


def _show_code(part: Code, place: str) -> None:
    """Draw a source in a folded panel."""
    label = f"Code: {escape_markdown(part.place.partition(':')[2])}"
    folded = st.expander(label, icon=":material/code:", key=f"{place}.code", on_change="rerun")
    if folded.open:
        with folded:
            show_source(find(part.place))


def _hold_back(rest: tuple[object, ...]) -> int:
    """Hold back what would give the answer away; return the number of questions and things to do in it."""
    if rest:
        st.caption(":material/visibility_off: The rest of this step opens once you have predicted.")
    return sum(isinstance(part, (Predict, Check, Do)) for part in rest)


def _until_piece(parts: tuple[object, ...], first: int) -> tuple[object, ...]:
    """Return the parts from index `first` on, up to the next exhibit."""
    rest = parts[first:]
    end = next((i for i, part in enumerate(rest) if isinstance(part, ExhibitPart)), len(rest))
    return rest[:end]
