"""The line of links at the top of a page."""

import streamlit as st

from core.ui.frame.room import Room
from core.ui.text import escape_markdown


def contents(room: Room) -> None:
    """What the page shows, in its order: a line of links to the exhibits."""
    pieces = [entry.exhibit() for entry in room.exhibits if entry.is_listed]
    links = " · ".join(f"[{escape_markdown(piece.title)}](#{piece.name})" for piece in pieces)
    st.markdown(f":small[On this page: {links}]")
