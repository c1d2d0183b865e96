"""Embeddings: the vectors of tokens, their nearest neighbors, and the path of a vector through the layers."""

import streamlit as st

from core.rooms.embeddings import ROOM

ROOM.header()

from core.rooms.embeddings.inputs import EmbeddingInputs, TokenInputs  # noqa: E402  (title before torch)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402
from core.ui.frame.element_keys import page_element_key  # noqa: E402

ROOM.contents()


@st.fragment
def one_token(looked: EmbeddingInputs) -> None:
    """The token looked at, the map and the list of its neighbors: one fragment, for all three follow the token."""
    with st.container(key=page_element_key("stays"), horizontal=True):
        token = render_inputs(TokenInputs, looked)
    ROOM.show("token-map", token)
    ROOM.show("nearest-tokens", token)


ROOM.show("words-alike")
looked = render_inputs(EmbeddingInputs)
if looked is not None:
    ROOM.show("word-in-two-sentences", looked)
    one_token(looked)
    ROOM.show("sentences", looked)
    ROOM.show("dot-is-not-cosine")
