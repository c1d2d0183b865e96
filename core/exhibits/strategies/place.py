"""The place that the exhibits on single distributions look at."""

import streamlit as st

from core.exhibits import next_token
from core.ui.looking import Looked
from core.ui.text import escape_markdown


def choose_place(looked: Looked) -> int:
    """The slider for the token to predict, and in words what stands before it: this page has no text to click in."""
    place = next_token.choose_place(looked)
    tokens = looked.encoded.tokens
    came = f", where “{escape_markdown(tokens[place].strip() or tokens[place])}” came" if place < len(tokens) else ""
    st.caption(f"The token after “…{escape_markdown(before(looked, place))}”{came}.")
    return place


def before(looked: Looked, place: int) -> str:
    """The end of the text before a place, on one line."""
    return " ".join("".join(looked.encoded.tokens[max(0, place - 8) : place]).split())
