"""The bar at the top of the room; a public vocabulary, fetched only on request; and the text for your own tokens."""

from contextlib import nullcontext
from functools import partial

import streamlit as st

from core import exhibit
from core.data import corpora, tokenizers
from core.rooms.tokens.born import WRITTEN_KEY
from core.rooms.tokens.experiments import own_tokens
from core.rooms.tokens.inputs import (
    EXAMPLE_TEXT,
    NO_VOCABULARY,
    PUBLIC_VOCABULARIES,
    THIS_TEXT,
    VOCABULARY_SIZES,
    TextToCut,
)
from core.ui import state
from core.ui.controls import controls, drawn_controls
from core.ui.controls.own_text import text_choices
from core.ui.exhibit.pane_and_rail import current_exhibit_containers, inputs_bar
from core.ui.text_formatting import escape_markdown
from core.ui.training.text_facts import OWN_KEY, corpus_metadata

TAKEN_KEY = "tokens.taken"  # the text of an earlier step, once it has been taken over


def pick_text_to_cut() -> TextToCut | None:
    """Ask for the text, the corpus and the size. Shows a message and returns None if there is nothing to tokenize."""
    is_bar = current_exhibit_containers() is None
    with inputs_bar():
        text = controls.render_control(
            exhibit.text_area(
                "Text to cut into tokens",
                EXAMPLE_TEXT,
                height=122,
                help="Write your own. Ctrl+Enter, or a click elsewhere, cuts it.",
                name="tokens_text",
            )
        )
        with st.popover("Vocabularies", icon=":material/menu_book:") if is_bar else nullcontext():
            source = _pick_source()
            vocab_size = controls.render_control(
                exhibit.segmented_control(
                    "Vocabulary size of our BPE",
                    VOCABULARY_SIZES,
                    1024,
                    labels={size: f"{size:,}" for size in VOCABULARY_SIZES},
                    help="How many tokens byte-pair encoding (BPE) may have, the 256 single bytes included. “BPE is "
                    "born” shows how it finds them. A short or monotonous text yields fewer: nothing is left to merge.",
                    name="vocab",
                )
            )
    if not text:
        st.info("The text is empty. Type at least one letter.")
        return None
    given = TextToCut(text, source, vocab_size)
    try:
        given.tokenizer("char")
    except (corpora.CorpusRefused, ValueError) as problem:
        said = escape_markdown(f"Nothing can be learned here: {problem}.")
        st.warning(f"{said} Choose another text to learn from.", icon=":material/menu_book:")
        return None
    return given


def _pick_source() -> str:
    labels = text_choices()
    linked = OWN_KEY.search(st.query_params.get("learned_from", "")[-60:])
    if linked is not None and linked[0] not in labels and not (facts := corpus_metadata(linked[0])).problem:
        labels[linked[0]] = f"{facts.title} ({linked[0]})"
    return controls.render_control(
        exhibit.select(
            "Vocabularies learned from",
            labels | {THIS_TEXT: "Only the text to be cut"},
            next(iter(labels)),
            help="A vocabulary knows what was in the text it was learned from. Texts you gave to the training studio "
            "are listed too.",
            name="learned_from",
        )
    )


@st.cache_data(max_entries=1, ttl=10, show_spinner=False)
def available_vocabularies() -> dict[str, bool]:
    """Return the available vocabularies, cached because each is verified by its checksum."""
    return tokenizers.available_tiktoken()


def pick_public() -> str:
    """Ask for a public vocabulary; `NO_VOCABULARY` if it is not on this machine. Nothing is fetched unrequested."""
    first = next((name for name in PUBLIC_VOCABULARIES if available_vocabularies().get(name)), NO_VOCABULARY)
    public = controls.render_control(
        exhibit.segmented_control(
            "A public vocabulary beside ours",
            list(PUBLIC_VOCABULARIES),
            first,
            labels=PUBLIC_VOCABULARIES,
            name="public",
        )
    )
    said = _download(public) if state.session_slot("tokens.download", str) == public else ""
    if public == NO_VOCABULARY or available_vocabularies().get(public):
        return public
    with st.container(border=True, key="tokens-not-here"):
        st.markdown(f"**{PUBLIC_VOCABULARIES[public]} is not on this machine**")
        st.caption(
            "OpenAI learned it from text on the web. Its list of tokens is a file of up to 4 MB on OpenAI's server "
            "(openaipublic.blob.core.windows.net), and Glassformer asks no server unless you say so. Our own BPE "
            "does the same and needs no network."
        )
        icon, ask = ":material/download:", partial(state.set_session_slot, "tokens.download", public)
        st.button("Download it once", key="tokens-download", icon=icon, on_click=ask)
        if said:
            st.error(escape_markdown(said), icon=":material/cloud_off:")
    return NO_VOCABULARY


def _download(public: str) -> str:
    """Download a vocabulary with a limit of ten seconds per file, verify its checksum, and return an error or ""."""
    state.clear_session_slot("tokens.download")
    try:
        with st.spinner("Fetching it, at most ten seconds for each file …"):
            tokenizers.download_tiktoken(public)
    except tokenizers.TokenizerUnavailable as refused:
        return str(refused)
    finally:
        available_vocabularies.clear()
    return ""


def pick_own_text() -> str | None:
    """Return the text for your own vocabulary; in a lesson it starts as the text written in an earlier step."""
    control = exhibit.text_area(
        "Text to learn your own tokens from",
        own_tokens.DEFAULT_OWN_TEXT,
        max_chars=own_tokens.MOST_CHARS,
        height=122,
        help="Your own tokens are merged from this text. What all models are trained on are the little stories.",
        name="own_text",
    )
    written = state.session_slot(WRITTEN_KEY, str)
    is_news = written != state.session_slot(TAKEN_KEY, str) or controls.current_value(control, None) is None
    if (
        written and is_news and "tokens_text" not in drawn_controls.page_controls_by_name()
    ):  # the room has a field for each text
        state.set_session_slot(TAKEN_KEY, written)
        controls.prefill_text(control, written)
    text = controls.render_control(control)
    if not text:
        st.info("The text is empty. Type at least one letter.")
    return text or None
