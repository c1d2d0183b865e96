"""The bar at the top of the room; a public vocabulary, fetched only on request; and the text for your own tokens."""

from contextlib import nullcontext
from functools import partial

import streamlit as st

from core import exhibit
from core.data import corpora, tokenizers
from core.data.localization.labels import module_labels
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

LABELS = module_labels(__name__)

TAKEN_KEY = "tokens.taken"  # the text of an earlier step, once it has been taken over


def pick_text_to_cut() -> TextToCut | None:
    """Ask for the text, the corpus and the size. Shows a message and returns None if there is nothing to tokenize."""
    is_bar = current_exhibit_containers() is None
    with inputs_bar():
        text = controls.render_control(
            exhibit.text_area(
                EXAMPLE_TEXT,
                height=122,
                help=LABELS["text.help"],
                name="tokens_text",
                label=LABELS["text_to_cut"],
            )
        )
        with st.popover(LABELS["vocabularies"], icon=":material/menu_book:") if is_bar else nullcontext():
            source = _pick_source()
            vocab_size = controls.render_control(
                exhibit.segmented_control(
                    VOCABULARY_SIZES,
                    1024,
                    labels={size: f"{size:,}" for size in VOCABULARY_SIZES},
                    help=LABELS["vocab_size.help"],
                    name="vocab",
                    label=LABELS["vocab_size"],
                )
            )
    if not text:
        st.info(LABELS["empty_text"])
        return None
    given = TextToCut(text, source, vocab_size)
    try:
        given.tokenizer("char")
    except (corpora.CorpusRefused, ValueError) as problem:
        st.warning(LABELS("not_learned", problem=escape_markdown(str(problem))), icon=":material/menu_book:")
        return None
    return given


def _pick_source() -> str:
    labels = text_choices()
    linked = OWN_KEY.search(st.query_params.get("learned_from", "")[-60:])
    if linked is not None and linked[0] not in labels and not (facts := corpus_metadata(linked[0])).problem:
        labels[linked[0]] = f"{facts.title} ({linked[0]})"
    return controls.render_control(
        exhibit.select(
            labels | {THIS_TEXT: LABELS["this_text"]},
            next(iter(labels)),
            help=LABELS["source.help"],
            name="learned_from",
            label=LABELS["source"],
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
            list(PUBLIC_VOCABULARIES),
            first,
            labels=PUBLIC_VOCABULARIES,
            name="public",
            label=LABELS["public"],
        )
    )
    said = _download(public) if state.session_slot("tokens.download", str) == public else ""
    if public == NO_VOCABULARY or available_vocabularies().get(public):
        return public
    with st.container(border=True, key="tokens-not-here"):
        st.markdown(LABELS("not_here", name=PUBLIC_VOCABULARIES[public]))
        st.caption(LABELS["about_public"])
        icon, ask = ":material/download:", partial(state.set_session_slot, "tokens.download", public)
        st.button(LABELS["download"], key="tokens-download", icon=icon, on_click=ask)
        if said:
            st.error(escape_markdown(said), icon=":material/cloud_off:")
    return NO_VOCABULARY


def _download(public: str) -> str:
    """Download a vocabulary with a limit of ten seconds per file, verify its checksum, and return an error or ""."""
    state.clear_session_slot("tokens.download")
    try:
        with st.spinner(LABELS["downloading"]):
            tokenizers.download_tiktoken(public)
    except tokenizers.TokenizerUnavailable as refused:
        return str(refused)
    finally:
        available_vocabularies.clear()
    return ""


def pick_own_text() -> str | None:
    """Return the text for your own vocabulary; in a lesson it starts as the text written in an earlier step."""
    control = exhibit.text_area(
        own_tokens.DEFAULT_OWN_TEXT,
        max_chars=own_tokens.MOST_CHARS,
        height=122,
        help=LABELS["own_text.help"],
        name="own_text",
        label=LABELS["own_text"],
    )
    written = state.session_slot(WRITTEN_KEY, str)
    is_news = written != state.session_slot(TAKEN_KEY, str) or controls.current_value(control, None) is None
    if (
        written and is_news and "born_text" not in drawn_controls.page_controls_by_name()
    ):  # the room has a field for each text
        state.set_session_slot(TAKEN_KEY, written)
        controls.prefill_text(control, written)
    text = controls.render_control(control)
    if not text:
        st.info(LABELS["empty_text"])
    return text or None
