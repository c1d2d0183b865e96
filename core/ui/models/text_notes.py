"""Notes on a text that a model reads: cut or unknown parts, buttons with known words, and a spinner."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from string import punctuation
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data.localization.labels import module_labels
from core.data.printable import printable_text
from core.data.tokenizers import known_word_normalization
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.exhibit import MAX_TRACES, memoize
from core.inspect.model_inputs.model_and_text import (
    EncodedText,
    is_large_model,
    letter_case_notes,
    load_text_model,
    quote_first_words,
)
from core.inspect.model_inputs.model_key import ModelKey
from core.ui.controls import controls
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown, quote_briefly

LABELS = module_labels(__name__)

_UNKNOWN = {"model": "unknown", "models": "unknown.models"}  # for one reader, for several
READS_UNKNOWN = LABELS["reads_unknown"]
SAMPLE = 5_000  # characters of a text, which contain enough words to offer
MAX_OFFERS = 128  # lists of a few words
_MAX_COMPARED = 64  # unknown words of a text that are tried for a replacement


def model_spinner(key: ModelKey, words: str) -> AbstractContextManager[object]:
    """Return a spinner with the elapsed time for slow work with a large model; for a small model, nothing."""
    return st.spinner(words, show_time=True) if is_large_model(key) else nullcontext()


def _place() -> DeltaGenerator:
    """Return the container for notes, which exists even without notes, so that a note doesn't rebuild what is below."""
    return st.container(gap="xsmall")


def show_text_notes(encoded: EncodedText, key: ModelKey, control: str, typed: str) -> None:
    """Show below the text what was cut or unknown, and offer known words.

    Args:
        key: of the model.
        control: the field in which the text was typed.
        typed: its content.
    """
    with _place():
        for note in encoded.notes:
            st.caption(f":material/info: {escape_markdown(note)}")
        offer_model_words(key, encoded.unknown, control, typed)


def offer_model_words(key: ModelKey, unknown: Sequence[str], control: str, typed: str) -> None:
    """Draw buttons with known words of a model, see `offer_words`."""
    offer_words(unknown, control, typed, lambda word: _offered(key, typed, word))


@memoize(MAX_TRACES)
def _offered(key: ModelKey, typed: str, word: str) -> tuple[str, ...]:
    from core.inspect.unknown_word_suggestions import suggest_replacement_words

    found = load_text_model(key)
    return suggest_replacement_words(found.model, found.text_tokenizer, typed, word)


def warn_unknown_words(
    unknown: Sequence[str],
    control: str,
    typed: str,
    known: Iterable[str],
    then: str = READS_UNKNOWN,
    *,
    changed: Mapping[str, str] | None = None,
    readers: Literal["model", "models"] = "model",
) -> None:
    """Show which words of a text are unknown, and offer known ones; for a model with a key see `show_text_notes`.

    Args:
        unknown: the words as in the text, except for capitals.
        control: the field in which the text was typed; "" if it was not typed, then nothing is offered.
        typed: its content.
        known: the words to offer from, in order of preference.
        then: a sentence on what happens to the unknown words; "" if the context explains it.
        changed: word as typed -> word as read, for words whose case differs.
        readers: whether one model or several read the text.
    """
    words = tuple(known)
    with _place():
        notes = letter_case_notes(changed or {})
        if unknown:
            notes = [*notes, f"{LABELS(_UNKNOWN[readers], words=quote_first_words(unknown))} {then}"]
        for note in notes:
            st.caption(f":material/info: {escape_markdown(note.strip())}")
        offer_words(unknown, control, typed, lambda word: _nearest(word, words))


def recase_text_and_warn_unknown(
    tokenizer: Tokenizer,
    control: str,
    typed: str,
    then: str,
    *,
    sample: str = "",
    readers: Literal["model", "models"] = "model",
) -> str:
    """Return the text with words in the case in which a tokenizer lists them; see `warn_unknown_words` for the rest.

    Args:
        sample: a part of the training text, for a character tokenizer, which has no words to offer.
    """
    read, known = (
        known_word_normalization.recase_words_to_vocabulary(tokenizer, typed),
        known_word_normalization.vocabulary_without_unknown(tokenizer) or (),
    )
    unknown = read.unknown
    if tokenizer.kind == "char":
        unknown, known = tuple(w for w in typed.split() if {*w} & {*unknown}), tuple(sample.split())
    warn_unknown_words(unknown, control, typed, known, then, changed=read.changed, readers=readers)
    return read.text


def warn_unknown_letters(control: str, typed: str, letters: Sequence[str], named: str, known: Sequence[str]) -> None:
    """Show the same notes for a character model that lowercases capitals and leaves out all unknown letters.

    Args:
        letters: all letters that it knows.
        named: a description of them.
        known: texts to offer, unchanged.
    """
    read, place = "".join(one for one in typed.lower() if one in letters), _place()
    if not typed.strip() or read == typed.lower():
        return
    unknown = [word for word in typed.split() if not set(word.lower()) <= set(letters)] if read.strip() else [typed]
    words, shown = quote_first_words(unknown), quote_briefly(read)
    if not unknown:
        note = LABELS("letters.read", letters=named, read=shown)
    elif read.strip():
        note = LABELS("letters.unknown_and_read", words=words, letters=named, read=shown)
    else:
        note = LABELS("letters.unknown", words=words, letters=named)
    with place:
        st.caption(f":material/info: {escape_markdown(note)}")
        offer_words(unknown, control, typed, lambda _: known)


def offer_words(unknown: Sequence[str], control: str, typed: str, offered: Callable[[str], Sequence[str]]) -> None:
    """Draw buttons with known words that replace the first unknown one; punctuation such as commas is left alone.

    Args:
        unknown: the unknown words.
        control: the field in which the text was typed.
        typed: its content.
        offered: returns the words to offer in place of a word.
    """
    field = controls.settable_key(control) if control else None
    able = (one for one in unknown[:_MAX_COMPARED] if known_word_normalization.replace_word(typed, one, "") != typed)
    word = next((one for one in able if one not in punctuation), None)
    known = () if field is None or word is None else offered(word)
    if field is None or word is None or not known:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", key=page_element_key("offered", field)
    ):
        st.caption(LABELS("instead_of", word=escape_markdown(quote_briefly(printable_text(word), 16))), width="content")
        for one in known:
            st.button(
                escape_markdown(one),
                key=page_element_key("offer", f"{field}-{one}"),
                on_click=st.session_state.__setitem__,
                args=(field, known_word_normalization.replace_word(typed, word, one)),
            )


@memoize(MAX_OFFERS)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return known_word_normalization.suggest_known_words(word, known)
