"""All lessons as cards, in their order: what each is about, how far one has come, and what is wrong with a file."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.lessons.format import shelf
from core.lessons.format.lesson import Lesson
from core.lessons.format.shelf import Shelved
from core.lessons.page import progress, tally
from core.lessons.page.progress import Mark
from core.lessons.page.steps import PAGE
from core.lessons.page.tally import Tally
from core.lessons.rooms import room_of, toured
from core.ui.frame import layout
from core.ui.text import clean_text, escape_markdown

MAX_PROBLEMS = 20  # of one file: whoever mends these sees the rest


def show_shelf(found: Mapping[str, Shelved], asked_for: str = "") -> None:
    """Draw all files, by slug; `asked_for` is what the address calls a lesson and is none, "" if it names none."""
    marks = progress.marks()
    if asked_for:
        _not_there(found.get(asked_for), asked_for)
    short = [one.lesson for one in found.values() if one.is_short and one.lesson is not None]
    house = [one.lesson for one in found.values() if one.is_own and not one.is_short and one.lesson is not None]
    others = [one.lesson for one in found.values() if not one.is_own and one.lesson is not None]
    titles = {lesson.slug: lesson.title for lesson in (*short, *house, *others)}
    where_to_begin([*short, *house, *others])
    minutes = sum(lesson.minutes for lesson in short)
    layout.section("The short path", f"Six lessons, {minutes} minutes in all: from nothing to a GPT of your own.")
    _cards("short", short, titles, marks)
    layout.section("Every lesson", f"{len(house)} lessons that take their time. Start anywhere.")
    _cards("house", house, titles, marks)
    if others:
        layout.section("From your teacher", "Lessons added by whoever runs this server.")
        _cards("teacher", others, titles, marks)
    if wrong := [one for one in found.values() if one.lesson is None]:
        _wrong(wrong)
    if marks:
        st.button("Clear my progress", icon=":material/delete_sweep:", type="tertiary", on_click=progress.forget)


def _not_there(one: Shelved | None, asked_for: str) -> None:
    name = escape_markdown(clean_text(asked_for, 60).text)
    if one is None:
        st.info(f"There is no lesson {name!r} here. These are all there are.")
    else:
        st.warning(f"The lesson {name!r} cannot be shown: its file has faults, listed at the end of this page.")


def where_to_begin(known: Sequence[Lesson]) -> None:
    """One clear way in: where one left off, or the first lesson, or the first that is not done."""
    marks = progress.marks()
    if (left := left_off({lesson.slug: lesson for lesson in known})) is not None:
        lesson, step = left
        label = f"Continue with **{escape_markdown(lesson.title)}**, step {step}"
    else:
        rest = [lesson for lesson in known if lesson.slug not in marks]
        if not rest:
            return
        step, lesson = 1, rest[0]
        label = f"{'Next' if marks else 'Start here'}: **{escape_markdown(lesson.title)}**"
    with st.container(key="lessons-start"):
        link(lesson, step, label, icon=":material/play_circle:")


def go_on(page: str, place: DeltaGenerator) -> None:
    """The lesson that was left off, at the top of the sidebar of a room, by its address."""
    if room_of(page) in toured() and (left := left_off(shelf.lessons())) is not None:
        lesson, step = left
        with place:
            link(lesson, step, f"Go on with **{escape_markdown(lesson.title)}**, step {step} of {len(lesson.steps)}")


def left_off(known: Mapping[str, Lesson]) -> tuple[Lesson, int] | None:
    """The lesson that was begun last and is not done, and its step."""
    marks = progress.marks()
    slug = next((slug for slug in reversed([*marks]) if slug in known and not marks[slug].is_done), None)
    return None if slug is None else (known[slug], min(marks[slug].step, len(known[slug].steps)))


def _cards(key: str, known: Sequence[Lesson], titles: Mapping[str, str], marks: Mapping[str, Mark]) -> None:
    with st.container(key=f"rooms-lessons-{key}"):
        for number, lesson in enumerate(known, 1):
            _card(number, lesson, titles, marks.get(lesson.slug))


def _card(number: int, lesson: Lesson, titles: Mapping[str, str], mark: Mark | None) -> None:
    step = min(mark.step, len(lesson.steps)) if mark is not None and not mark.is_done else 1
    with st.container(border=True, key=f"room-lesson-{lesson.slug}", height="stretch"):
        link(lesson, step, f"**{number}. {escape_markdown(lesson.title)}**")
        st.caption(escape_markdown(lesson.about))
        needs = [escape_markdown(titles[need]) for need in lesson.needs if need in titles]
        lines = [
            f":material/schedule: {lesson.minutes} minutes, {len(lesson.steps)} steps",
            f":material/model_training: You train {escape_markdown(lesson.trains)}",
        ]
        if needs:
            lines.append(f":material/link: After {', '.join(needs)}")
        if mark is not None:
            lines.append(
                _came(tally.tally(lesson, mark.states))
                if mark.is_done
                else f":material/bookmark: **Step {step} of {len(lesson.steps)}: continue**"
            )
        st.markdown(":small[" + "]  \n:small[".join(lines) + "]")


def _came(found: Tally) -> str:
    """What a card says of a lesson whose last step was reached."""
    if found.open:
        return f":material/flag: **Seen**, {found.open} {'thing' if found.open == 1 else 'things'} open"
    shown = f", {found.shown} {'answer' if found.shown == 1 else 'answers'} only shown" if found.shown else ""
    return f":material/check_circle: **Done**{shown}"


def link(lesson: Lesson, step: int, label: str, icon: str = ":material/arrow_forward:") -> None:
    """A link to a step of a lesson."""
    to = {"lesson": lesson.slug, "step": str(step)}
    st.page_link(PAGE, label=label, icon=icon, icon_position="right", query_params=to)


def _wrong(files: Sequence[Shelved]) -> None:
    """Files that are no lessons: each fault with its line. Such a file never takes the others with it."""
    layout.section("Files with faults", "These files are in a folder of lessons, but something in them is wrong.")
    for one in files:
        with st.container(border=True):
            st.markdown(f":material/edit_note: **{escape_markdown(clean_text(one.file, 80).text)}**")
            rest = len(one.problems) - MAX_PROBLEMS
            lines = [f"- line {it.line}: {escape_markdown(clean_text(it.message, 300).text)}" for it in one.problems]
            st.markdown("\n".join(lines[:MAX_PROBLEMS] + [f"- … and {rest} more"] * (rest > 0)))
