"""Small things that this visitor's browser remembers from one visit to the next, such as how far a lesson has come.

They are kept as cookies named `gf_…`, which an invisible browser widget writes: a page cannot set one by itself once
it is open. They come back with the next load of the page; until then the session knows them.

    depth = recall("depth")      # what comes from a cookie may be anything: check it
    keep("depth", "story")

`app.py` draws the page inside `written()`, which hands to the browser what was kept meanwhile. What is kept inside a
fragment reaches the browser with the next run of the whole page.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

import streamlit as st

from core.browser.message import pack
from core.ui import state
from core.ui.frame.element_keys import frame_key
from core.ui.widgets.mount import mount

MAX_CHARS = 1_500  # of a value; percent-encoded it still fits into the 4,096 bytes that browsers keep of a cookie
_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_SLOT = "remember"


def recall(name: str) -> str | None:
    """What was kept under this name, now or at an earlier visit; None if nothing was.

    It may be anything, for whoever owns the browser can change it: check it.
    """
    kept: dict[str, str] = state.slot(_SLOT, dict)
    if name in kept:
        return kept[name] or None
    written = st.context.cookies.get(f"gf_{name}", "")
    return unquote(written, errors="replace")[:MAX_CHARS] or None


def keep(name: str, value: str) -> None:
    """Keep a value in this browser for a year; an empty one forgets it. For callbacks and for the page's own run.

    Raises:
        ValueError: for a name that is no name of a cookie, or a value that is too long for one.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r} must be lower-case letters, digits and underscores")
    if len(value) > MAX_CHARS or not value.isascii():
        raise ValueError(f"a browser keeps up to {MAX_CHARS} plain characters, not {len(value)}: {value[:40]!r}")
    kept: dict[str, str] = state.slot(_SLOT, dict)
    kept[name] = value


@contextmanager
def written() -> Iterator[None]:
    """Draw the page inside; at its end, whatever that is, the browser gets what is to be kept."""
    try:
        yield
    finally:
        kept: dict[str, str] = state.slot(_SLOT, dict)
        if kept:
            with st.container(key=frame_key("remember")):  # style.css takes it out of the layout
                mount("remember", frame_key("remember", "widget"), pack({"values": kept}, {}))
