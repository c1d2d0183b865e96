"""What a person should know of a text that a model reads, known words instead of unknown ones, and patience."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from core.cache import MAX_TRACES, memoize
from core.inspect.reading.model_and_text import Encoded, is_large, load
from core.inspect.reading.model_key import ModelKey
from core.ui.models import own_words
from core.ui.text import escape_markdown


def show_notes(encoded: Encoded, key: ModelKey | None = None, control: str = "", typed: str = "") -> None:
    """Say what was cut or unknown, under the text, and offer known words, see `offer_words`."""
    for note in encoded.notes:
        st.caption(f":material/info: {escape_markdown(note)}")
    if key is not None:
        offer_words(encoded.unknown, key, control, typed)


def offer_words(unknown: Sequence[str], key: ModelKey, control: str, typed: str) -> None:
    """Known words as buttons that put them in the place of the first unknown one.

    Args:
        unknown: words that the model does not know.
        key: of the model.
        control: the field in which the text was typed.
        typed: what stands in it.
    """
    own_words.offer_words(unknown, control, typed, lambda word: _offered(key, typed, word))


@memoize(MAX_TRACES)
def _offered(key: ModelKey, typed: str, word: str) -> tuple[str, ...]:
    from core.inspect.word_suggestions import suggested_words

    found = load(key)
    return suggested_words(found.model, found.tokenizer, typed, word)


def patience(key: ModelKey, words: str) -> AbstractContextManager[object]:
    """Around what takes long with a large model: words, and the seconds so far; nothing with a small one."""
    return st.spinner(words, show_time=True) if is_large(key) else nullcontext()
