"""Terms in the page's texts: the first mention of each gets a thin dotted line, and shows its definition.

All of it happens in the browser (assets/widgets/page/terms.js), over the texts as they stand: none is changed for it.
Underlines answer to the pointer and to a tap; for the keyboard and for screen readers the same words stand in a list
at the end of the page.
"""

from functools import lru_cache

import streamlit as st

from core.data import glossary
from core.ui.widgets.message import pack
from core.ui.widgets.mount import renderer


def place() -> None:
    """Put the words of this page below it; once a page."""
    with st.container(key="terms"):
        renderer("terms", height=34)(key="terms.widget", data=_message(glossary.terms()))


@lru_cache(maxsize=2)
def _message(terms: tuple[glossary.Term, ...]) -> bytes:
    """Every term with its forms; 40 kB, which Streamlit sends to a browser once and then only names."""
    packed = [[term.name, term.slug, term.definition, _forms(term)] for term in terms]
    return pack({"terms": packed}, {})


def _forms(term: glossary.Term) -> list[str]:
    return sorted({*term.forms, *map(glossary.plural, term.forms)})
