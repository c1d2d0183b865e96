"""The cards of all lessons, in order, with a summary and the visitor's progress, and the problems of faulty files."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data.localization.labels import module_labels
from core.lessons.format import catalog
from core.lessons.format.catalog import LessonFile
from core.lessons.format.lesson import ExhibitPart, Lesson
from core.lessons.lesson_ui import progress
from core.lessons.lesson_ui.navigation import LESSONS_PAGE
from core.lessons.lesson_ui.progress import LessonProgress, LessonTaskCounts
from core.lessons.room_links import find_room_of_exhibit, tour_rooms
from core.ui.frame import layout
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import clean_text, escape_markdown

LABELS = module_labels(__name__)

MAX_PROBLEMS = 20  # shown for one file; the rest appears once these are fixed


def show_lesson_cards(found: Mapping[str, LessonFile], asked_for: str = "") -> None:
    """Draw the cards of all files, by slug; `asked_for` is an unknown lesson in the address, or ""."""
    marks = progress.progress_by_lesson()
    if asked_for:
        _not_there(found.get(asked_for), asked_for)
    by_course: defaultdict[str, list[Lesson]] = defaultdict(list)
    for one in found.values():
        if one.lesson is not None:
            by_course[one.course].append(one.lesson)
    short, house, today, others = (by_course[course] for course in ("short", "house", "today", ""))
    titles = {lesson.slug: lesson.title for lesson in (*short, *house, *today, *others)}
    _show_start_link([*short, *house, *today, *others])
    if others:
        layout.show_section_heading(LABELS["teacher"])
        _cards("teacher", others, titles, marks)
    minutes = sum(lesson.minutes for lesson in short)
    layout.show_section_heading(LABELS["short"], LABELS("short.about", minutes=minutes))
    _cards("short", short, titles, marks)
    layout.show_section_heading(LABELS["house"], LABELS("house.about", n=len(house)))
    _cards("house", house, titles, marks)
    if today:
        layout.show_section_heading(LABELS["today"], LABELS["today.about"])
        _cards("today", today, titles, marks)
    if wrong := [one for one in found.values() if one.lesson is None]:
        _wrong(wrong)
    if marks:
        st.button(
            LABELS["clear_progress"], icon=":material/delete_sweep:", type="tertiary", on_click=progress.clear_progress
        )


def _not_there(one: LessonFile | None, asked_for: str) -> None:
    name = escape_markdown(clean_text(asked_for, 60).text)
    if one is None:
        st.info(LABELS("no_lesson", name=name))
    else:
        st.warning(LABELS("faulty_lesson", name=name))


def _show_start_link(known: Sequence[Lesson]) -> None:
    """Draw one link to start with: where the visitor left off, or the first lesson that isn't done."""
    marks, left = progress.progress_by_lesson(), _unfinished_lesson(known)
    if left is not None:
        lesson, step = left
        label = LABELS("continue", title=escape_markdown(lesson.title), step=step)
    else:
        rest = [lesson for lesson in known if lesson.slug not in marks]
        if not rest:
            return
        step, lesson = 1, rest[0]
        label = LABELS("next" if marks else "start", title=escape_markdown(lesson.title))
    with st.container(key=page_element_key("lessons-start")):
        _link(lesson, step, label, icon=":material/play_circle:")


def show_home_links() -> None:
    """Draw Home's two buttons: the start of the short path, and the place where the visitor left off."""
    found = catalog.lesson_files().values()
    known = [one.lesson for one in found if one.lesson is not None]
    first = next((one.lesson for one in found if one.course == "short" and one.lesson is not None), None)
    ways = [] if first is None else [("short", LABELS["start_short_path"], (first, 1))]
    if (left := _unfinished_lesson(known)) is not None:
        ways.append(("left", LABELS["go_on"], left))
    with st.container(key=page_element_key("lessons-start")):
        for key, label, (lesson, step) in ways:
            look: Literal["primary", "secondary"] = "primary" if key == "short" else "secondary"
            if st.button(
                label, key=page_element_key("way", key), type=look, width="stretch", help=escape_markdown(lesson.title)
            ):
                st.switch_page(LESSONS_PAGE, query_params={"lesson": lesson.slug, "step": str(step)})


def show_continue_link(page: str, place: DeltaGenerator) -> None:
    """Draw a link to the unfinished lesson at the top of a room's sidebar; `page` is the room's address."""
    if find_room_of_exhibit(page) not in tour_rooms() or not progress.progress_by_lesson():
        return
    if (left := _unfinished_lesson(list(catalog.catalog_lessons().values()))) is not None:
        lesson, step = left
        with place:
            _link(
                lesson,
                step,
                LABELS("go_on.lesson", title=escape_markdown(lesson.title), step=step, n=len(lesson.steps)),
            )


def _unfinished_lesson(known: Sequence[Lesson]) -> tuple[Lesson, int] | None:
    """Return the last visited lesson that isn't done, and its step, or None."""
    marks, by_slug = progress.progress_by_lesson(), {lesson.slug: lesson for lesson in known}
    begun = (slug for slug in reversed(list(marks)) if not marks[slug].is_done and slug in by_slug)
    lesson = by_slug.get(next(begun, ""))
    return None if lesson is None else (lesson, min(marks[lesson.slug].step, len(lesson.steps)))


def _cards(key: str, known: Sequence[Lesson], titles: Mapping[str, str], marks: Mapping[str, LessonProgress]) -> None:
    with st.container(key=page_element_key("rooms", f"lessons-{key}")):
        for number, lesson in enumerate(known, 1):
            _card(number, lesson, titles, marks.get(lesson.slug))


def _card(number: int, lesson: Lesson, titles: Mapping[str, str], mark: LessonProgress | None) -> None:
    step = min(mark.step, len(lesson.steps)) if mark is not None and not mark.is_done else 1
    with st.container(border=True, key=page_element_key("room", f"lesson-{lesson.slug}"), height="stretch"):
        if (picture := _pictogram(lesson)) is not None:
            st.image(picture, alt="")
        _link(lesson, step, f"**{number}. {escape_markdown(lesson.title)}**")
        st.caption(escape_markdown(lesson.about))
        needs = [escape_markdown(titles[need]) for need in lesson.needs if need in titles]
        minutes = LABELS("minutes.after" if needs else "minutes", n=lesson.minutes, lessons=", ".join(needs))
        lines = [f":material/schedule: {minutes}"]
        if mark is not None:
            lines.append(
                _came(progress.count_lesson_tasks(lesson, mark.states))
                if mark.is_done
                else f":material/bookmark: {LABELS('continue.step', step=step, n=len(lesson.steps))}"
            )
        st.markdown(":small[" + "]  \n:small[".join(lines) + "]")


def _pictogram(lesson: Lesson) -> Path | None:
    """Return the picture of the room where most of a lesson takes place."""
    pieces = [part.name for step in lesson.steps for part in step.parts if isinstance(part, ExhibitPart)]
    counted = Counter(filter(None, map(find_room_of_exhibit, pieces)))
    pictures = (room.picture(layout.color_mode()) for room, _ in counted.most_common())
    return next(filter(None, pictures), None)


def _came(found: LessonTaskCounts) -> str:
    """Return the line on the card of a lesson whose last step was reached."""
    if found.open:
        return f":material/flag: {LABELS('seen', n=found.open)}"
    return f":material/check_circle: {LABELS('done.shown' if found.shown else 'done', n=found.shown)}"


def _link(lesson: Lesson, step: int, label: str, icon: str = ":material/arrow_forward:") -> None:
    to = {"lesson": lesson.slug, "step": str(step)}
    st.page_link(LESSONS_PAGE, label=label, icon=icon, icon_position="right", query_params=to)


def _wrong(files: Sequence[LessonFile]) -> None:
    """Draw the files that aren't valid lessons, each problem with its line; the other lessons aren't affected."""
    layout.show_section_heading(LABELS["faulty_files"], LABELS["faulty_files.about"])
    for one in files:
        with st.container(border=True):
            st.markdown(f":material/edit_note: **{escape_markdown(clean_text(one.file, 80).text)}**")
            rest = len(one.problems) - MAX_PROBLEMS
            lines = [
                LABELS("problem", line=it.line, message=escape_markdown(clean_text(it.message, 300).text))
                for it in one.problems[:MAX_PROBLEMS]
            ]
            lines += [LABELS("more_problems", n=rest)] if rest > 0 else []
            st.markdown("\n".join(f"- {line}" for line in lines))
