"""A lesson on the page: one step at a time, with the way back and forth."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.lessons import questions
from core.lessons.catalogue import CATALOGUE
from core.lessons.done import is_done
from core.lessons.lesson import Check, Code, Do, Lesson, Piece, Predict, Prose, Step
from core.lessons.sources import find
from core.ui import asked, controls, depth, layout, state
from core.ui.asked import Asked
from core.ui.frame import show, show_source
from core.ui.text import escape_markdown


def show_lesson(lesson: Lesson) -> None:
    """Draw the step that the address names, and the way on."""
    number = _step_number(lesson)
    step = lesson.steps[number - 1]
    layout.page_header(lesson.title, f"Step {number} of {len(lesson.steps)}. {lesson.about}")
    st.progress(number / len(lesson.steps))
    st.header(escape_markdown(step.title), anchor=False)
    place = f"{lesson.slug}.{number}"
    open_things = _show_step(step, place, number)
    _way_on(lesson, number, open_things)


def _step_number(lesson: Lesson) -> int:
    asked_for = st.query_params.get("step", "1")
    number = int(asked_for) if asked_for.isascii() and asked_for.isdigit() and len(asked_for) < 4 else 1
    return min(max(number, 1), len(lesson.steps))


def _show_step(step: Step, place: str, number: int) -> int:
    """Draw all parts; how many questions and things to do are still open."""
    n_open, n_piece = 0, 0
    parts = list(step.parts)
    for i, part in enumerate(parts):
        if isinstance(part, Prose):
            if depth.at_least(part.depth):
                layout.prose(part.text)
        elif isinstance(part, Code):
            show_source(find(part.place))
        elif isinstance(part, Predict):
            n_open += not questions.predict(part, f"{place}.{i}")
        elif isinstance(part, Check):
            n_open += not questions.check(part, f"{place}.{i}")
        elif isinstance(part, Piece):
            n_piece += 1
            dos = _dos_after(parts, i)
            key = f"s{number}" if n_piece == 1 else f"s{number}.{n_piece}"
            n_open += _show_piece(part, key, dos, place)
    return n_open


def _dos_after(parts: list[Any], i: int) -> tuple[Do, ...]:
    """The things to do in the exhibit at place i: those that follow it, up to the next exhibit."""
    dos: list[Do] = []
    for part in parts[i + 1 :]:
        if isinstance(part, Piece):
            break
        if isinstance(part, Do):
            dos.append(part)
    return tuple(dos)


def _show_piece(part: Piece, key: str, dos: tuple[Do, ...], place: str) -> int:
    entry = CATALOGUE[part.name]
    given = controls.Presets(f"{key}.", part.values, frozenset(part.lock), frozenset(part.hide))
    with controls.presets(given):
        args = entry.ask()
    if args is None:
        return len(dos)
    then = partial(_do_these, dos, f"{key}.", f"{place}.{key}") if dos else None
    show(entry.exhibit(), *args, key=key, lock=part.lock, hide=part.hide, every=entry.pace(), then=then, **part.values)
    return sum(not state.slot(f"{place}.{key}.done.{do.line}", bool) for do in dos)


def _do_these(dos: tuple[Do, ...], prefix: str, place: str) -> None:
    """Below the exhibit, and drawn anew with it: what to do, and whether it is done. What was done stays done."""
    now = asked.here()
    first: Mapping[str, Asked] = state.slot(f"{place}.first", lambda: now)
    news = False
    for do in dos:
        slot = f"{place}.done.{do.line}"
        if not state.slot(slot, bool) and is_done(do.when, prefix, now, first):
            state.put(slot, True)
            news = True
        is_over = state.slot(slot, bool)
        icon = ":material/check_circle:" if is_over else ":material/radio_button_unchecked:"
        st.markdown(f"{icon} **{'Done' if is_over else 'Do this'}:** {do.say}")
    if news:
        st.rerun()  # the way on stands outside of the exhibit


def _way_on(lesson: Lesson, number: int, n_open: int) -> None:
    with st.container(horizontal=True, key="lesson-way"):
        st.button("Back", key="lesson-back", disabled=number == 1, on_click=_go, args=(lesson.slug, number - 1))
        if number < len(lesson.steps):
            st.button(
                "Skip" if n_open else "Next",
                key="lesson-next",
                type="secondary" if n_open else "primary",
                on_click=_go,
                args=(lesson.slug, number + 1),
            )


def _go(slug: str, number: int) -> None:
    """Open a step; the address forgets the controls of the one before."""
    st.query_params.from_dict({"lesson": slug, "step": str(number)})
