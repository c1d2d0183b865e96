"""The surroundings of every page: its small menu, the terms, and what is done before and after it is drawn.

Keys, presenter mode and terms happen in the browser (assets/widgets/page/); the server only puts the scripts there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import streamlit as st

from core.browser.message import pack
from core.data import glossary
from core.ui.controls import persist, sharing, visits
from core.ui.frame import depth, errors
from core.ui.frame.element_keys import frame_key
from core.ui.widgets.mount import mount, renderer


def tools() -> None:
    """Depth, the link for others, and the keys of the page, at its top right.

    `p` and Esc: presenter mode; arrows: from exhibit to exhibit; `?`: the list of keys.
    """
    with st.container(key=frame_key("tools"), horizontal=True, wrap=False, gap="xsmall", width="content"):
        with st.popover(depth.depth().capitalize(), key=frame_key("menu")):
            depth.choose()
        sharing.place()
        renderer("keys", height=34)(key=frame_key("keys"), width="content")
    visits.listen()


@contextmanager
def around(page: str) -> Iterator[None]:
    """Draw a page inside.

    A fault of the page shows plain words; it comes back as it was left; the note of a link stands above it; at its end
    the browser gets what it is to remember, and the dialog for a link opens if somebody asked for it.

    Args:
        page: its name in the address.
    """
    with errors.page_guard(), visits.visit(page), persist.written(), sharing.shared():
        yield


def terms() -> None:
    """Put the words of the glossary below the page, once.

    In the page's texts, which stay as they are, the first mention of each then has a thin dotted line, and shows its
    definition to the pointer and to a tap; for the keyboard and for screen readers they stand in a list.
    """
    with st.container(key=frame_key("terms")):
        renderer("terms", height=34)(key=frame_key("terms", "widget"), data=_message(glossary.terms()))


@lru_cache(maxsize=2)
def _message(terms: tuple[glossary.Term, ...]) -> bytes:
    """Every term with its forms; 40 kB, which Streamlit sends to a browser once and then only names."""
    forms = [sorted({*term.forms, *map(glossary.plural, term.forms)}) for term in terms]
    packed = [[term.name, term.slug, term.definition, form] for term, form in zip(terms, forms, strict=True)]
    return pack({"terms": packed}, {})


def begin_at_top(what: str) -> None:
    """Scroll to the top when this text is another one than at the last run; where nothing has changed, stay.

    A page that shows another thing under the same address begins at its top, as a new page would.
    """
    with st.container(key=frame_key("top")):  # style.css takes it out of the layout
        mount("top", frame_key("top", "widget"), pack({"what": what}, {}))
