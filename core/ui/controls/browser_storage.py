"""Small values that the visitor's browser remembers between visits, such as the progress in a lesson.

They are stored as cookies named `gf_…`, which an invisible browser widget writes, because an open page cannot set
cookies itself. The cookies arrive with the next load of the page; until then the session holds the values.

    depth = recall("depth")      # a cookie may contain anything: check it
    keep("depth", "story")

`app.py` draws the page inside `sync_browser_storage()`, which sends new values to the browser. Values set inside a
fragment reach the browser with the next run of the whole page.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

import streamlit as st

from core.browser.message_packing import pack_message
from core.ui import state
from core.ui.frame.element_keys import page_element_key
from core.ui.widgets.mount import mount

MAX_CHARS = 1_500  # of a value; percent-encoded it still fits into the 4,096 bytes that browsers allow for a cookie
_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_SLOT = "remember"


def load_from_browser(name: str) -> str | None:
    """Return the value stored under this name in this or an earlier visit, or None.

    Check it: it may be anything, because the owner of the browser can change it.
    """
    kept: dict[str, str] = state.session_slot(_SLOT, dict)
    if name in kept:
        return kept[name] or None
    written = st.context.cookies.get(f"gf_{name}", "")
    return unquote(written, errors="replace")[:MAX_CHARS] or None


def store_in_browser(name: str, value: str) -> None:
    """Store a value in this browser for a year; an empty value deletes it. Works in callbacks and in the page's run.

    Raises:
        ValueError: if the name is not a valid cookie name, or the value is too long for a cookie.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r} must be lower-case letters, digits and underscores")
    if len(value) > MAX_CHARS or not value.isascii():
        raise ValueError(f"a browser keeps up to {MAX_CHARS} plain characters, not {len(value)}: {value[:40]!r}")
    kept: dict[str, str] = state.session_slot(_SLOT, dict)
    kept[name] = value


@contextmanager
def sync_browser_storage() -> Iterator[None]:
    """Draw the page inside; when it ends, even with an error, send new values to the browser."""
    try:
        yield
    finally:
        kept: dict[str, str] = state.session_slot(_SLOT, dict)
        if kept:
            with st.container(key=page_element_key("remember")):  # style.css takes it out of the layout
                mount("remember", page_element_key("remember", "widget"), pack_message({"values": kept}, {}))
