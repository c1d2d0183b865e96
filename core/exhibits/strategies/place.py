"""The place that the exhibits on single distributions look at."""

import streamlit as st

from core.exhibits.next_token import first_place
from core.ui import controls, picks
from core.ui.looking import Looked
from core.ui.text import escape_markdown


def choose_place(looked: Looked) -> int:
    """The slider for the token to predict, 1..T; T is the one that follows the text."""
    n_token, first = len(looked.encoded.ids), first_place(looked)
    if picks.has_changed("strategies.place", looked.encoded.packed):
        controls.put("place", first)
    place = int(
        controls.slider(
            "place",
            "Token to predict",
            1,
            n_token,
            first,
            step=1,
            help="Token 1 is predicted from token 0 alone; the last place is the token that follows the text. A "
            "model's own text opens where the model is least sure.",
        )
    )
    tokens = looked.encoded.tokens
    before = escape_markdown(" ".join("".join(tokens[max(0, place - 8) : place]).split()))
    came = f", where “{escape_markdown(tokens[place].strip() or tokens[place])}” came" if place < n_token else ""
    st.caption(f"The token after “…{before}”{came}.")
    return place
