"""The bar at the top of a room, with the model and the text that all its exhibits share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from core import exhibit
from core.data.localization.labels import module_labels
from core.data.sentences import SENTENCES
from core.exhibit import Control
from core.inspect.model_inputs.chat import ChatRefused, encode_chat, has_chat_template
from core.inspect.model_inputs.model_and_text import (
    OVERFLOW_MESSAGE,
    EncodedText,
    ModelAndText,
    encode_text,
    has_nonfinite_output,
    load_text_model,
    load_text_reader,
)
from core.inspect.model_inputs.model_key import DEFAULT_MODEL, ModelKey, ModelUnreadable
from core.ui.controls import controls, picks
from core.ui.exhibit.pane_and_rail import current_exhibit_containers, inputs_bar
from core.ui.frame.element_keys import page_element_key
from core.ui.models.model_description import ModelDescription, describe_model
from core.ui.models.model_folders import run_model_key, shipped_model_titles
from core.ui.models.picker import model_picker
from core.ui.models.text_notes import model_spinner, show_text_notes
from core.ui.text_formatting import escape_markdown
from core.ui.training.run_storage import data_folder
from core.ui.widgets.tensors import token_row

LABELS = module_labels(__name__)

FOLLOW_SECONDS = 2.0
_CHAT = LABELS["chat.help"]
_HOW = LABELS["text.help"]


def _chat_prompt(key: ModelKey, text: str, most: int | None) -> EncodedText | None:
    """Show the prompt that the model reads, with its markers, and return it; None, after a message, if that fails."""
    if not text.strip():
        return None
    try:
        encoded = encode_chat(key, text, most)
    except ChatRefused as refused:
        st.warning(LABELS("chat_refused", reason=escape_markdown(_sentence(refused))))
        return None
    tokenizer: Any = load_text_model(key).text_tokenizer
    is_mark = np.array([i in tokenizer.added_ids for i in encoded.ids])
    n_mark = int(is_mark.sum())
    st.caption(LABELS["chat_template"])
    with st.expander(LABELS("prompt", n=len(encoded.ids), n_mark=n_mark)):
        token_row(
            encoded.tokens,
            key=page_element_key("chat", "prompt"),
            values=np.where(is_mark, 1.0, np.nan),
            limits=(0.0, 1.0),
            value_title=LABELS["mark"],
            details=[
                LABELS("token.mark" if mark else "token", id=i) for i, mark in zip(encoded.ids, is_mark, strict=True)
            ],
            takeaway=LABELS("prompt.takeaway", n=len(encoded.ids), n_mark=n_mark),
        )
    return encoded


def _sentence(refused: ChatRefused) -> str:
    text = str(refused)
    return f"{text[:1].upper()}{text[1:]}."


def pick_model_and_text(
    most: int | None = None, kinds: Sequence[str] = ("gpt",), text: str | None = None, chats: bool = False
) -> ModelAndText | None:
    """Ask for the model and the text; show a message and return None if there is nothing to look at yet.

    Args:
        most: the number of tokens that the room can show.
        text: the initial text, for the model that is shown first; None: the model's own.
        kinds: the kinds of models that the room can show, see `core.ui.models.picker.TITLES`.
        chats: whether a model with a chat template may read the text as a user's turn.
    """
    with inputs_bar():
        key, model = _choose(kinds)
        if key is None or model is None:
            return None
        name = control_name_for_corpus("text", model)
        with controls.override_control_defaults(**({} if text is None else {"text": text})):
            label = (
                LABELS["text.own"] if current_exhibit_containers() is None else LABELS["text"]
            )  # the room's bar has its own
            typed = controls.render_control(
                exhibit.text_area(model.sample, height=122, help=_HOW, name=name, label=label)
            )
        is_chat = (
            chats
            and has_chat_template(key)
            and controls.render_control(exhibit.toggle(False, help=_CHAT, name="chat", label=LABELS["chat"]))
        )
    encoded = (_chat_prompt(key, typed, most) if is_chat else None) or encode_text(key, typed, most)
    show_text_notes(encoded, key, name, typed)
    if not encoded.ids:
        st.info(LABELS["empty_text"])
        return None
    if refuse_nonfinite_output(key, encoded):
        return None
    return ModelAndText(key, encoded)


def refuse_nonfinite_output(key: ModelKey, *texts: EncodedText) -> bool:
    """Show a message if the model overflows on one of these texts, because then there is nothing to show."""
    if not any(has_nonfinite_output(key, text.ids_key) for text in texts if text.ids):
        return False
    st.error(
        LABELS("overflow", reason=OVERFLOW_MESSAGE),
        icon=":material/broken_image:",
    )
    return True


def pick_model(kinds: Sequence[str] = ("gpt",), name: str = "model", first: str = "") -> ModelKey | None:
    """Ask for the model alone, for a room whose exhibits bring their own texts or need none.

    Args:
        name: of the control.
        first: the shipped model to show first, if it exists.
    """
    begins = {name: first} if first in shipped_model_titles(data_folder()) else {}
    with inputs_bar(), controls.override_control_defaults(**begins):
        return _choose(kinds, name)[0]


def control_name_for_corpus(name: str, about: ModelDescription) -> str:
    """Return the name of the text control, one for each corpus, because models cannot read each other's texts."""
    return name if about.sample == SENTENCES[DEFAULT_MODEL] else f"{name}.{_part(about.corpus)}"


def _choose(kinds: Sequence[str], name: str = "model") -> tuple[ModelKey | None, ModelDescription | None]:
    """Draw the list of models and the chosen one's description; return None, after a message, if there is none."""
    try:
        key = model_picker(name, kinds)
        if key is None:
            return None, None
        with model_spinner(key, LABELS["reading"]):
            load_text_model(key)
        return key, _show_model(key, name)
    except ModelUnreadable as refused:
        st.error(LABELS("unreadable", reason=escape_markdown(refused)), icon=":material/broken_image:")
        return None, None


def _show_model(key: ModelKey, name: str) -> ModelDescription:
    """Describe the model, and follow it while it is being trained. Raises ModelUnreadable."""
    model = describe_model(key)
    is_half = load_text_reader(key) is not load_text_model(key).model
    with st.popover(":material/info:", type="tertiary", help=LABELS["about"], key=page_element_key("about", name)):
        st.markdown(f"**{escape_markdown(model.title)}**")  # which the list may truncate
        st.markdown(LABELS("shows_encoder", description=model.in_words) if is_half else model.in_words)
    if model.is_training:
        _follow(key)
    return model


def _follow(key: ModelKey) -> None:
    """Switch to the model's next checkpoint when there is one, while it trains."""
    if controls.render_control(
        exhibit.toggle(
            True,
            help=LABELS["follow.help"],
            name="follow",
            label=LABELS["follow"],
        )
    ):
        st.fragment(_refresh_checkpoint, run_every=FOLLOW_SECONDS)(key)


def _refresh_checkpoint(key: ModelKey) -> None:
    try:
        is_newer = run_model_key(key.name) != key or not describe_model(key).is_training
    except ModelUnreadable:
        is_newer = True
    if is_newer:
        st.rerun()


def _part(corpus: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in corpus.lower())[:50] or "own"


def reset_token_position(control: Control, inputs: Any) -> None:
    """Reset a position when the text changes, because it means nothing in a different text."""
    if picks.has_content_changed("next.place", inputs.given.encoded.ids_key):
        controls.set_control_silently(str(control.name), control.default)
