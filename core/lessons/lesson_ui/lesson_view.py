"""A lesson on the page: one step at a time, with buttons to the previous and the next one."""

import streamlit as st

from core.data.localization.labels import module_labels
from core.lessons.format.lesson import (
    CheckQuestion,
    CodeExcerpt,
    ExhibitPart,
    ExhibitTask,
    Lesson,
    LessonStep,
    PredictQuestion,
    Prose,
)
from core.lessons.format.name_checks import find_function_or_class
from core.lessons.lesson_ui import conditions, exhibit_with_tasks, homework_view, navigation, progress, question_view
from core.ui.exhibit.exhibit_panels import show_source
from core.ui.frame import depth, layout
from core.ui.frame.element_keys import page_element_key
from core.ui.frame.page import scroll_to_top
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)


def show_lesson(lesson: Lesson) -> None:
    """Draw the step that the address names, and the buttons to other steps."""
    number = _current_step(len(lesson.steps))
    step = lesson.steps[number - 1]
    progress.restore_done_tasks(lesson, number)
    scroll_to_top(f"{lesson.slug} {number}")
    navigation.show_lesson_header(lesson, number)
    homework_view.show_deadline(lesson)
    with st.container(
        key=page_element_key("lesson-step", f"{lesson.slug}-{number}")
    ):  # each step has its own key, so that no element is carried over
        st.header(escape_markdown(step.title), anchor=False)
        n_open = _show_step(
            step, f"{lesson.slug}.{number}", number, conditions.trained_experiments(lesson.steps[:number])
        )
    progress.store_step(lesson, number, progress.task_states(step, f"{lesson.slug}.{number}"))
    if number == len(lesson.steps):
        navigation.show_lesson_end(lesson)
        homework_view.show_receipt(lesson)
    navigation.show_step_buttons(lesson, number, n_open)


def _current_step(n_step: int) -> int:
    """Return the step that the address names, or the nearest existing step with a warning."""
    asked_for = st.query_params.get("step", "1")
    number = int(asked_for) if asked_for.isascii() and asked_for.isdigit() and len(asked_for) < 4 else 1
    nearest = min(max(number, 1), n_step)
    if asked_for != str(nearest):
        st.warning(LABELS("no_step", step=escape_markdown(asked_for[:20]), n=n_step, number=nearest))
    return nearest


def _show_step(step: LessonStep, place: str, number: int, trains: frozenset[str] = frozenset()) -> int:
    """Draw a step, and return how many tasks are still open. `trains`: see `exhibit_with_tasks.show_exhibit`."""
    n_open, n_piece = 0, 0
    parts = step.parts
    loose = tuple(part for part in _until_piece(parts, 0) if isinstance(part, ExhibitTask))
    for i, part in enumerate(parts):
        if isinstance(part, Prose):
            if depth.depth_at_least(part.depth):
                layout.show_prose(part.text)
        elif isinstance(part, CodeExcerpt):
            _show_code(part, f"{place}.{i}")
        elif isinstance(part, PredictQuestion):
            if not question_view.show_predict_question(part, f"{place}.{i}"):
                return n_open + 1 + _hold_back(parts[i + 1 :])
        elif isinstance(part, CheckQuestion):
            n_open += not question_view.show_check_question(part, f"{place}.{i}")
        elif isinstance(part, ExhibitTask):
            if part in loose[:1]:
                n_open += exhibit_with_tasks.show_tasks_before_exhibits(loose, f"{place}.loose")
        elif isinstance(part, ExhibitPart):
            n_piece += 1
            dos = tuple(one for one in _until_piece(parts, i + 1) if isinstance(one, ExhibitTask))
            key = f"s{number}" if n_piece == 1 else f"s{number}.{n_piece}"
            n_open += exhibit_with_tasks.show_exhibit(part, key, dos, place, trains)
    return n_open


def _show_code(part: CodeExcerpt, place: str) -> None:
    """Draw a source in a folded panel."""
    label = LABELS("code", name=escape_markdown(part.place.partition(":")[2]))
    folded = st.expander(label, icon=":material/code:", key=f"{place}.code", on_change="rerun")
    if folded.open:
        with folded:
            show_source(find_function_or_class(part.place))


def _hold_back(rest: tuple[object, ...]) -> int:
    """Hold back what would give the answer away; return the number of questions and things to do in it."""
    if rest:
        st.caption(f":material/visibility_off: {LABELS['hidden']}")
    return sum(isinstance(part, (PredictQuestion, CheckQuestion, ExhibitTask)) for part in rest)


def _until_piece(parts: tuple[object, ...], first: int) -> tuple[object, ...]:
    """Return the parts from index `first` on, up to the next exhibit."""
    rest = parts[first:]
    end = next((i for i, part in enumerate(rest) if isinstance(part, ExhibitPart)), len(rest))
    return rest[:end]
