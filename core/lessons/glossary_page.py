"""The glossary on its page: a search field, pictures of the main terms, and every term with where to see it."""

from collections.abc import Mapping
from functools import lru_cache

import streamlit as st

from core.browser.message_packing import pack_message
from core.data import glossary
from core.data.glossary import GlossaryTerm
from core.data.localization.labels import module_labels
from core.lessons.format.lesson import Lesson
from core.lessons.glossary_pictures import term_pictures
from core.lessons.room_links import find_room_of_exhibit, lessons_by_exhibit
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

MOST_LESSONS = 2


def show_glossary() -> None:
    """Draw the glossary, which the browser searches. `?term=softmax` in the address opens an entry."""
    mount("glossary", "glossary", pack_message({"pictures": term_pictures()}, {}), height=600, own_style=False)
    with st.container(key=page_element_key("glossary")):  # hidden; the browser takes each entry's part of it
        st.markdown(_entries_markdown(glossary.glossary_terms()))


@lru_cache(maxsize=2)
def _entries_markdown(terms: tuple[GlossaryTerm, ...]) -> str:
    """Return one quotation for each term: all but its name and definition, which come with every page."""
    lessons = lessons_by_exhibit()
    entries = ("\n\n".join(_term_lines(term, lessons)) for term in terms)
    quoted = ("\n".join(f"> {line}" for line in entry.split("\n")) for entry in entries)
    return "\n\n---\n\n".join(quoted)


def _term_lines(term: GlossaryTerm, lessons: Mapping[str, tuple[Lesson, ...]]) -> list[str]:
    lines = [LABELS("formula", formula=term.formula)] if term.formula else []
    if term.elsewhere:
        lines.append(f":small[{LABELS('elsewhere', names='; '.join(term.elsewhere))}]")
    return [*lines, f":small[{LABELS('places', places=' · '.join(_places(term, lessons)))}]"]


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
