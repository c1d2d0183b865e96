"""Embeddings: the vectors that stand for tokens, who is near to whom, and how a vector moves through the layers."""

import streamlit as st

from core.ui.frame import layout

layout.page_header(
    "Embeddings",
    "Each token becomes a vector, a list of numbers: its **embedding**, one row of a table that the model has "
    "learned. See where the vectors lie, which ones are neighbors, and how a word's vector moves from layer to "
    "layer.",
)

from core.rooms.embeddings.inputs import Looked, Token  # noqa: E402  (title before torch)
from core.rooms.embeddings.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)


@st.fragment
def one_token(looked: Looked) -> None:
    """The token looked at, the map and the list of its neighbors: one fragment, for all three follow the token."""
    token = ask(Token, looked)
    show(ROOM["token-map"], token)
    show(ROOM["nearest-tokens"], token)


looked = ask(Looked)
if looked is not None:
    one_token(looked)
    layout.section(
        "Two ways to compare",
        "“Near” can mean two things. The angle between two vectors ignores their lengths; the dot product, which "
        "attention uses, doesn't.",
    )
    show(ROOM["dot-is-not-cosine"])
    layout.section(
        "From table to meaning",
        "The table has one vector for each token, whatever is around it. What a word means here and now is added "
        "layer by layer.",
    )
    show(ROOM["word-in-two-sentences"], looked)
