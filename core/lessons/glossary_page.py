"""The glossary on its page: a search field, and every term with its other names and where to see it."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from core import exhibit
from core.data import glossary
from core.data.glossary import GlossaryTerm
from core.data.localization.labels import module_labels
from core.lessons.format.lesson import Lesson
from core.lessons.room_links import find_room_of_exhibit, lessons_by_exhibit
from core.ui.controls import controls
from core.ui.frame.element_keys import page_element_key
from core.ui.frame.layout import PROSE_WIDTH
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

MOST_LESSONS = 2
N_COLUMN = 4
HEADING_LETTERS = 60  # letters of a definition that take as much space as a heading


@st.fragment
def show_glossary() -> None:
    """Draw the search field with the terms found, or a short index of all. `?term=softmax` in the address fills it."""
    asked = controls.render_control(
        exhibit.text_input(
            label=LABELS["search"],
            max_chars=60,
            widget={"placeholder": LABELS["examples"], "live": True},
            name="term",
        )
    ).strip()
    found = glossary.search_glossary(asked)
    n_all = len(glossary.glossary_terms())
    if not found:
        st.info(LABELS("nothing_found", asked=escape_markdown(asked)))
        return
    if not asked:
        _index(found)
        return
    st.caption(LABELS("n_found", n_found=len(found), n_all=n_all))
    with st.container(key=page_element_key("glossary"), width=PROSE_WIDTH):
        lessons = lessons_by_exhibit()
        # One element for all terms, because the cost of a rerun grows with the number of elements.
        st.markdown("\n\n".join(_term_markdown(term, lessons) for term in found))


def _index(terms: Sequence[GlossaryTerm]) -> None:
    """Draw all terms, each with the first sentence of its definition; its name links to the full entry."""
    with st.container(key=page_element_key("letters")):
        st.markdown(_letters(terms))
    with st.container(key=page_element_key("glossary")):
        texts = [
            f"##### [{term.name}](glossary?term={term.slug})\n\n:small[{_first(term.definition)}]" for term in terms
        ]
        ends = np.cumsum([len(text) + HEADING_LETTERS for text in texts])
        column = np.minimum(ends * N_COLUMN // (ends[-1] + 1), N_COLUMN - 1)
        for n, place in enumerate(st.columns(N_COLUMN, gap="medium")):
            place.markdown("\n\n".join(text for text, of in zip(texts, column, strict=True) if of == n))


def _term_markdown(term: GlossaryTerm, lessons: Mapping[str, tuple[Lesson, ...]]) -> str:
    """Return a term as Markdown."""
    lines = [f"### {term.name}", term.definition]
    if term.formula:
        lines.append(LABELS("formula", formula=term.formula))
    if term.elsewhere:
        lines.append(f":small[{LABELS('elsewhere', names='; '.join(term.elsewhere))}]")
    lines.append(f":small[{LABELS('places', places=' · '.join(_places(term, lessons)))}]")
    return "\n\n".join(lines)


def _places(term: GlossaryTerm, lessons: Mapping[str, tuple[Lesson, ...]]) -> list[str]:
    places = []
    for name in term.see:
        room = find_room_of_exhibit(name)
        _, _, exhibit = name.partition(".")
        if room is None:
            continue
        title, address = room.title, "." if room.section == "home" else room.address
        places.append(
            f"[{title}: {exhibit.replace('-', ' ')}]({address}#{exhibit})" if exhibit else f"[{title}]({address})"
        )
    titles = {one.slug: one.title for name in term.see for one in lessons.get(name, ())}
    guided = [(LABELS("lesson", title=escape_markdown(title)), slug) for slug, title in titles.items()]
    return places + [f"[{label}](lessons?lesson={slug})" for label, slug in guided[:MOST_LESSONS]]


def _first(definition: str) -> str:
    return re.split(r"(?<=[.!?]) (?=[A-Z])", definition)[0]


def _letters(found: Sequence[GlossaryTerm]) -> str:
    first: dict[str, str] = {}
    for term in found:
        first.setdefault(term.name[0].upper(), term.slug)
    return " ".join(f"[{letter}](#{slug})" for letter, slug in first.items())
