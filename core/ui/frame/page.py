"""The frame of every page: its menu, the glossary terms, and the steps before and after the page is drawn.

Keys, presenter mode and terms are handled in the browser (assets/widgets/page/); the server only mounts the scripts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import streamlit as st

from core.browser.message_packing import pack_message
from core.data import glossary
from core.ui.controls import browser_storage, page_restoration, sharing
from core.ui.frame import depth, errors
from core.ui.frame.element_keys import page_element_key
from core.ui.widgets.mount import mount, widget_component


def page_tools() -> None:
    """Draw the page's tools at its top right: the depth, the link for others, and the keys.

    The keys `p` and Esc switch presenter mode, arrows move between exhibits, and `?` lists the keys.
    """
    with st.container(key=page_element_key("tools"), horizontal=True, wrap=False, gap="xsmall", width="content"):
        with st.popover(depth.NAMES[depth.content_depth()], key=page_element_key("menu")):
            depth.choose_content_depth()
        sharing.share_button()
        widget_component("keys", height=34)(key=page_element_key("keys"), width="content")
    page_restoration.mount_text_listener()


@contextmanager
def page_frame(page: str) -> Iterator[None]:
    """Draw a page inside.

    An error of the page shows a message; the page is restored as it was left; a link's note is shown above it. At its
    end, the browser gets the values that it stores, and the dialog for a link opens on request.

    Args:
        page: its name in the address.
    """
    with (
        errors.page_guard(),
        page_restoration.restore_page_controls(page),
        browser_storage.sync_browser_storage(),
        sharing.page_with_share_dialog(),
    ):
        yield


def mount_glossary() -> None:
    """Mount the glossary below the page, once.

    The first mention of each term in the page's text gets a thin dotted line and shows its definition on hover or tap;
    keyboards and screen readers get a list. The text itself is unchanged.
    """
    with st.container(key=page_element_key("terms")):
        widget_component("terms", height=34)(
            key=page_element_key("terms", "widget"), data=_message(glossary.glossary_terms())
        )


@lru_cache(maxsize=2)
def _message(terms: tuple[glossary.GlossaryTerm, ...]) -> bytes:
    """Pack every term with its forms: 40 kB, which Streamlit sends to a browser once and then references."""
    forms = [sorted({*term.forms, *map(glossary.regular_plural, term.forms)}) for term in terms]
    packed = [[term.name, term.slug, term.definition, form] for term, form in zip(terms, forms, strict=True)]
    return pack_message({"terms": packed}, {})


def scroll_to_top(what: str) -> None:
    """Scroll to the top if this text differs from the last run's.

    A page that shows different content under the same address starts at its top, like a new page.
    """
    with st.container(key=page_element_key("top")):  # style.css takes it out of the layout
        mount("top", page_element_key("top", "widget"), pack_message({"what": what}, {}))
