"""A text as the user's turn in a model's chat: the prompt that its template makes of it, token by token."""

from typing import Any

import numpy as np
import streamlit as st

from core.inspect.reading.chat import ChatRefused, as_chat
from core.inspect.reading.model_and_text import Encoded, load
from core.inspect.reading.model_key import ModelKey
from core.ui.frame.element_keys import frame_key
from core.ui.text import escape_markdown
from core.ui.widgets.tensors import token_row


def as_turn(key: ModelKey, text: str, most: int | None) -> Encoded | None:
    """What the model reads, shown with its marks; None, after plain words, where the template can't be used."""
    if not text.strip():
        return None
    try:
        encoded = as_chat(key, text, most)
    except ChatRefused as refused:
        st.warning(f"{escape_markdown(_sentence(refused))} So the model reads the bare text.")
        return None
    tokenizer: Any = load(key).tokenizer
    is_mark = np.array([i in tokenizer.added_ids for i in encoded.ids])
    n_mark = int(is_mark.sum())
    st.caption(
        "A **chat template** lays the marks around each turn that the model saw in training: behind the last one it "
        "answers."
    )
    with st.expander(f"What it reads: {len(encoded.ids)} tokens, {n_mark} of them marks"):
        token_row(
            encoded.tokens,
            key=frame_key("chat", "prompt"),
            values=np.where(is_mark, 1.0, np.nan),
            limits=(0.0, 1.0),
            value_title="mark",
            details=[
                f"token {i}, a mark" if mark else f"token {i}" for i, mark in zip(encoded.ids, is_mark, strict=True)
            ],
            takeaway=f"The prompt has {len(encoded.ids)} tokens; {n_mark} of them are marks.",
        )
    return encoded


def _sentence(refused: ChatRefused) -> str:
    text = str(refused)
    return f"{text[:1].upper()}{text[1:]}."
