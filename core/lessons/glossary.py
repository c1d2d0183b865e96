"""The glossary on its page: a field to search in, and every term with its other names and where to see it."""

from collections.abc import Mapping

import streamlit as st

from core import inputs
from core.data import glossary
from core.data.glossary import Term
from core.lessons.format.lesson import Lesson
from core.lessons.rooms import lessons_by_exhibit, room_of
from core.ui.controls import controls
from core.ui.frame.layout import PROSE_WIDTH
from core.ui.text import escape_markdown

MOST_LESSONS = 2


@st.fragment
def show_glossary() -> None:
    """The field and what it finds; empty, it finds all. `?term=softmax` in the address fills it."""
    asked = controls.ask(
        inputs.text_input(
            "Search for a term, or for its name in other code",
            max_chars=60,
            widget={"placeholder": "softmax, hidden_size, Bahdanau …", "live": True},
            name="term",
        )
    ).strip()
    found = glossary.search(asked)
    n_all = len(glossary.terms())
    if not found:
        st.info(f"No term is called “{escape_markdown(asked)}”, and none mentions it. Clear the field to see all.")
        return
    st.caption(f"All {n_all} terms." if not asked else f"{len(found)} of {n_all} terms. Clear the field to see all.")
    with st.container(key="glossary", width=PROSE_WIDTH):
        if not asked:
            with st.container(key="letters"):
                st.markdown(_letters(found))
        lessons = lessons_by_exhibit()
        # One element and not one for each: what a rerun costs is the number of its elements.
        st.markdown("\n\n".join(entry(term, lessons) for term in found))


def entry(term: Term, lessons: Mapping[str, tuple[Lesson, ...]]) -> str:
    """A term as Markdown."""
    lines = [f"### {term.name}", term.definition]
    if term.formula:
        lines.append(f"Formula or shape: {term.formula}")
    if term.elsewhere:
        lines.append(f":small[**Elsewhere.** {'; '.join(term.elsewhere)}.]")
    lines.append(f":small[**See it in** {' · '.join(_places(term, lessons))}]")
    return "\n\n".join(lines)


def _places(term: Term, lessons: Mapping[str, tuple[Lesson, ...]]) -> list[str]:
    places = []
    for name in term.see:
        room = room_of(name)
        _, _, exhibit = name.partition(".")
        if room is None:
            continue
        title, address = room.title, "." if room.section == "home" else room.address
        places.append(
            f"[{title}: {exhibit.replace('-', ' ')}]({address}#{exhibit})" if exhibit else f"[{title}]({address})"
        )
    titles = {one.slug: one.title for name in term.see for one in lessons.get(name, ())}
    guided = [f"[Lesson: {escape_markdown(title)}](lessons?lesson={slug})" for slug, title in titles.items()]
    return places + guided[:MOST_LESSONS]


def _letters(found: tuple[Term, ...]) -> str:
    first: dict[str, str] = {}
    for term in found:
        first.setdefault(term.name[0].upper(), term.slug)
    return " ".join(f"[{letter}](#{slug})" for letter, slug in first.items())
