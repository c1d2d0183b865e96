"""Navigation in a lesson: the current step, a menu of all steps, Back and Next, and the summary after the last step."""

import streamlit as st

from core.data.localization.labels import module_labels
from core.lessons.format import catalog
from core.lessons.format.lesson import ExhibitPart, Lesson
from core.lessons.homework.assignment import HOMEWORK_PARAMETER
from core.lessons.lesson_ui import progress
from core.lessons.lesson_ui.progress import LessonTaskCounts, TaskCount
from core.lessons.room_links import find_room_of_exhibit
from core.ui.frame import layout
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

LESSONS_PAGE = "pages/lessons/lessons.py"


def show_lesson_header(lesson: Lesson, number: int) -> None:
    """Draw the lesson's name, the progress in words and as a bar, and a menu of all steps."""
    n = len(lesson.steps)
    with st.container(key=page_element_key("lesson-head")):
        with st.container(horizontal=True, vertical_alignment="center", key=page_element_key("lesson-top")):
            st.page_link(LESSONS_PAGE, label=LABELS["all_lessons"], icon=":material/arrow_back:")
            st.menu_button(
                LABELS["steps"],
                range(1, n + 1),
                key=page_element_key("lesson-steps"),
                icon=":material/format_list_numbered:",
                format_func=lambda one: f"{one}. {escape_markdown(lesson.steps[one - 1].title)}",
                on_click=_jump,
                args=(lesson.slug,),
                type="tertiary",
            )
        st.title(escape_markdown(lesson.title), anchor=False)
        st.progress(number / n, text=LABELS("step", number=number, n=n))


def show_step_buttons(lesson: Lesson, number: int, n_open: int) -> None:
    """Draw the buttons Back and Next; if something is still open, Next becomes Skip."""
    n, following = len(lesson.steps), _next_lesson(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key=page_element_key("lesson-way")):
        st.button(
            LABELS["back"],
            key=page_element_key("lesson-back"),
            icon=":material/arrow_back:",
            disabled=number == 1,
            on_click=_open_step,
            args=(lesson.slug, number - 1),
        )
        is_last = number == n
        if not is_last or following is not None:
            st.button(
                LABELS["next.lesson"] if is_last else LABELS["skip"] if n_open else LABELS["next"],
                key=page_element_key("lesson-next"),
                type="secondary" if n_open and not is_last else "primary",
                icon=":material/arrow_forward:",
                icon_position="right",
                on_click=_open_step,
                args=(following.slug, 1) if is_last and following else (lesson.slug, number + 1),
            )
        st.caption(_left(number, n, n_open), width="content")


def _left(number: int, n: int, n_open: int) -> str:
    if n_open:
        return LABELS("n_open.step", n=n_open)
    return LABELS["last_step"] if number == n else LABELS("next_step", number=number + 1, n=n)


def show_lesson_end(lesson: Lesson) -> None:
    """Draw the end of a lesson: tasks done and open, the sources of its claims, the next lesson, and the rooms."""
    mark = progress.progress_by_lesson().get(lesson.slug)
    found = progress.count_lesson_tasks(lesson, mark.states if mark is not None else "")
    with st.container(border=True, key=page_element_key("lesson-done")):
        is_all = not found.open
        heading = f":material/celebration: {LABELS['done']}" if is_all else f":material/flag: {LABELS['end']}"
        st.subheader(heading, anchor=False)
        st.markdown(_tally_text(lesson, found))
        if found.open_steps:
            with st.container(
                horizontal=True, vertical_alignment="center", gap="small", key=page_element_key("lesson-open")
            ):
                st.markdown(LABELS["go_back"], width="content")
                for step in found.open_steps:
                    label = f"{step}. {escape_markdown(lesson.steps[step - 1].title)}"
                    st.button(
                        label,
                        key=page_element_key("lesson-open", str(step)),
                        type="tertiary",
                        on_click=_open_step,
                        args=(lesson.slug, step),
                    )
        if (following := _next_lesson(lesson)) is not None:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(LABELS("next_lesson", minutes=following.minutes), width="content")
                st.page_link(
                    LESSONS_PAGE,
                    label=f"**{escape_markdown(following.title)}**",
                    icon=":material/arrow_forward:",
                    icon_position="right",
                    query_params={"lesson": following.slug, "step": "1"},
                )
        rooms = [
            find_room_of_exhibit(part.name)
            for step in lesson.steps
            for part in step.parts
            if isinstance(part, ExhibitPart)
        ]
        if rooms:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(LABELS["rooms"], width="content")
                for page in dict.fromkeys(room.page for room in rooms if room is not None):
                    st.page_link(page)
        if lesson.sources:
            st.markdown("\n".join([LABELS["sources"], *(f"- {source}" for source in lesson.sources)]))


def _tally_text(lesson: Lesson, found: LessonTaskCounts) -> str:
    """Return the tasks done, one line per kind."""
    lines = []
    if found.predictions.of:
        lines.append(_line("predictions", found.predictions))
    if found.checks.of:
        lines.append(_line("checks", found.checks))
    if found.others.of:
        lines.append(_line("others", found.others))
    if found.trainings.of:
        key = "not_trained" if found.trainings.open else "trained"
        lines.append(f"- {LABELS(key, model=escape_markdown(lesson.trains))}")
    return "\n".join(lines)


def _line(kind: str, count: TaskCount) -> str:
    """Return the line of one kind of task: how many are done, only shown, and open."""
    counts = [LABELS(f"{kind}.done", n=count.done, of=count.of)]
    counts += [LABELS("n_shown", n=count.shown)] if count.shown else []
    counts += [LABELS("n_open", n=count.open)] if count.open else []
    return f"- {LABELS(kind, counts=', '.join(counts))}"


def _next_lesson(lesson: Lesson) -> Lesson | None:
    """Return the next lesson on the shelf, or None."""
    known = list(catalog.catalog_lessons().values())
    slugs = [one.slug for one in known]
    at = slugs.index(lesson.slug) if lesson.slug in slugs else -1
    return known[at + 1] if 0 <= at < len(known) - 1 else None


def update_address_from_link() -> None:
    """Update the address to the lesson and step of a followed link. Call it before anything else of the page.

    If a link leads to the current page, Streamlit passes the link's parameters to the script but doesn't change the
    address. Such a link only names lesson and step; an address with more parameters is the browser's own.
    """
    if layout.is_rerun_of_same_page() and set(st.query_params) <= {"lesson", "step", HOMEWORK_PARAMETER}:
        st.query_params.from_dict(st.query_params.to_dict())


def _open_step(slug: str, number: int) -> None:
    """Open a step, removing the previous step's controls from the address. For callbacks."""
    is_same = HOMEWORK_PARAMETER in st.query_params and st.query_params.get("lesson") == slug
    stays = {HOMEWORK_PARAMETER: st.query_params[HOMEWORK_PARAMETER]} if is_same else {}
    st.query_params.from_dict({"lesson": slug, "step": str(number)} | stays)


def _jump(slug: str) -> None:
    chosen = st.session_state.get(page_element_key("lesson-steps"))
    if isinstance(chosen, int):
        _open_step(slug, chosen)
