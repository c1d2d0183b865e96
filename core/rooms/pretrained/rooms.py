"""Which rooms suit a model, and the links that open it there."""

from dataclasses import dataclass

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from core.inspect.reading.model_key import READERS, WRITERS


@dataclass(frozen=True)
class Room:
    """A page that shows models of some kinds."""

    page: str  # its file, as in the navigation table
    title: str  # title, icon: of its link
    icon: str
    kinds: tuple[str, ...]  # that it shows
    control: str = "model"  # the name of its list of models
    more: tuple[tuple[str, str], ...] = ()  # what its address holds besides, so that the model is what it shows first


ROOMS = (
    Room("pages/attention/heads.py", "Attention heads", ":material/grid_view:", READERS),
    Room("pages/attention/embeddings.py", "Embeddings", ":material/scatter_plot:", READERS),
    Room("pages/attention/masks.py", "Masks", ":material/grid_off:", READERS),
    Room("pages/attention/positions.py", "Positions", ":material/schedule:", READERS, "positions_model"),
    Room("pages/attention/block.py", "The block", ":material/layers:", READERS),
    Room("pages/attention/tokens.py", "Tokens", ":material/text_fields:", (*READERS, "rnn")),
    Room("pages/families/decoder.py", "Decoder", ":material/edit_note:", ("gpt",)),
    Room("pages/families/sizes.py", "Sizes", ":material/straighten:", READERS, more=(("size_of", "The chosen model"),)),
    Room("pages/before/recurrent.py", "Recurrent nets", ":material/autorenew:", ("rnn",)),
    Room("pages/generate/next_token.py", "Next token", ":material/text_select_start:", WRITERS),
    Room("pages/generate/strategies.py", "Strategies", ":material/view_column:", WRITERS),
    Room("pages/generate/beam.py", "Beam search", ":material/account_tree:", ("gpt",)),
    Room("pages/generate/cache.py", "The cache", ":material/memory:", ("gpt",)),
)
WITHOUT = {
    "vit": "A ViT reads pictures, not text: here are its facts. The room “Patches” trains one while you watch.",
    "image_gpt": "An ImageGPT writes pictures, not text: here are its facts. The room “Pixels” trains one while you "
    "watch.",
    "multiscale": "A multi-scale ViT reads pictures, not text: here are its facts. The room “Many scales” trains one "
    "while you watch.",
    "captioner": "A captioner reads pictures: here are its facts. The room “Captions” trains one while you watch.",
    "seq2seq": "No room opens a recurrent encoder-decoder from its files: here are its facts. The room “Sequence to "
    "sequence” trains some while you watch.",
}


def links(name: str, kind: str, has_tokenizer: bool) -> None:
    """Links to every room that suits a model; or why there is none.

    Args:
        name: of the model, as an address gives it.
    """
    fitting = [room for room in ROOMS if kind in room.kinds]
    if not fitting:
        st.info(WITHOUT.get(kind, "No room shows models of this kind: here are its facts."), icon=":material/info:")
        return
    if not has_tokenizer:
        st.info(
            "This model came without a tokenizer, so it can't be given text: here are its facts. Open it again with "
            "its tokenizer's files, and the other rooms show it too.",
            icon=":material/info:",
        )
        return
    st.markdown("**Open it in**")
    with st.container(horizontal=True, gap="small", key="open-in"):
        for room in fitting:
            try:
                st.page_link(
                    room.page, label=room.title, icon=room.icon, query_params={room.control: name} | dict(room.more)
                )
            except StreamlitPageNotFoundError:  # the page runs by itself, as in a test: there is no way to other pages
                st.caption(room.title)
