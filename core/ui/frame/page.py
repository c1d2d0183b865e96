"""The frame of every page: its menu, the glossary terms, and the steps before and after the page is drawn.

Keys, presenter mode and terms are handled in the browser (assets/widgets/page/); the server only mounts the scripts.
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
    """Draw the page's tools at its top right: the depth, the link for others, and the keys.

    The keys `p` and Esc switch presenter mode, arrows move between exhibits, and `?` lists the keys.
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

    An error of the page shows a message; the page is restored as it was left; a link's note is shown above it. At its
    end, the browser gets the values that it stores, and the dialog for a link opens on request.

    Args:
        page: its name in the address.
    """
    with errors.page_guard(), visits.visit(page), persist.written(), sharing.shared():
        yield


def terms() -> None:
    """Mount the glossary below the page, once.

    The first mention of each term in the page's text gets a thin dotted line and shows its definition on hover or tap;
    keyboards and screen readers get a list. The text itself is unchanged.
    """
    with st.container(key=frame_key("terms")):
        renderer("terms", height=34)(key=frame_key("terms", "widget"), data=_message(glossary.terms()))


@lru_cache(maxsize=2)
def _message(terms: tuple[glossary.Term, ...]) -> bytes:
    """Pack every term with its forms: 40 kB, which Streamlit sends to a browser once and then references."""
    forms = [sorted({*term.forms, *map(glossary.plural, term.forms)}) for term in terms]
    packed = [[term.name, term.slug, term.definition, form] for term, form in zip(terms, forms, strict=True)]
    return pack({"terms": packed}, {})


def begin_at_top(what: str) -> None:
    """Scroll to the top if this text differs from the last run's.

    A page that shows different content under the same address starts at its top, like a new page.
    """
    with st.container(key=frame_key("top")):  # style.css takes it out of the layout
        mount("top", frame_key("top", "widget"), pack({"what": what}, {}))
