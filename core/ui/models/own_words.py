"""Notes on a text that a model reads: what is cut or unknown, known words as buttons instead, and patience."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from string import punctuation

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data.printable import printable
from core.data.tokenizers import normalization
from core.data.tokenizers.base import Tokenizer
from core.exhibit import MAX_TRACES, memoize
from core.inspect.reading.model_and_text import Encoded, case_notes, is_large, listed, load
from core.inspect.reading.model_key import ModelKey
from core.ui.controls import controls
from core.ui.frame.element_keys import frame_key
from core.ui.text import escape_markdown, quote_briefly

READS_UNKNOWN = "It reads <unknown> instead."
SAMPLE = 5_000  # characters of a text hold enough words to offer from
MAX_OFFERS = 128  # lists of a few words
LOOKED_AT = 64  # unknown words of a text that are looked at for one to replace


def patience(key: ModelKey, words: str) -> AbstractContextManager[object]:
    """Around what takes long with a large model: words, and the seconds so far; nothing with a small one."""
    return st.spinner(words, show_time=True) if is_large(key) else nullcontext()


def _place() -> DeltaGenerator:
    """The place for notes, drawn even without any: otherwise everything below would be rebuilt with each."""
    return st.container(gap="xsmall")


def show_notes(encoded: Encoded, key: ModelKey, control: str, typed: str) -> None:
    """Say what was cut or unknown, under the text, and offer known words.

    Args:
        key: of the model.
        control: the field in which the text was typed.
        typed: what stands in it.
    """
    with _place():
        for note in encoded.notes:
            st.caption(f":material/info: {escape_markdown(note)}")
        offer_words_of(key, encoded.unknown, control, typed)


def offer_words_of(key: ModelKey, unknown: Sequence[str], control: str, typed: str) -> None:
    """Known words of a model as buttons, see `offer_words`."""
    offer_words(unknown, control, typed, lambda word: _offered(key, typed, word))


@memoize(MAX_TRACES)
def _offered(key: ModelKey, typed: str, word: str) -> tuple[str, ...]:
    from core.inspect.word_suggestions import suggested_words

    found = load(key)
    return suggested_words(found.model, found.text_tokenizer, typed, word)


def tell_words(
    unknown: Sequence[str],
    control: str,
    typed: str,
    known: Iterable[str],
    then: str = READS_UNKNOWN,
    *,
    changed: Mapping[str, str] | None = None,
    who: str = "This model doesn't",
) -> None:
    """Say which words of a text are not known, and offer known ones; for a model with a key see `show_notes`.

    Args:
        unknown: as they stand in the text, capitals apart.
        control: the field in which the text was typed; "" if it was not typed, and nothing is offered.
        typed: what stands in it.
        known: the words to offer from, those to be offered first in front.
        then: a sentence, what becomes of the unknown words; "" if the place says it.
        changed: word as typed -> word as read, where the case is another one.
        who: does not know them.
    """
    words = tuple(known)
    with _place():
        for note in [*case_notes(changed or {}), *([f"{who} know {listed(unknown)}. {then}"] if unknown else [])]:
            st.caption(f":material/info: {escape_markdown(note.strip())}")
        offer_words(unknown, control, typed, lambda word: _nearest(word, words))


def read_words(
    tokenizer: Tokenizer, control: str, typed: str, then: str, *, sample: str = "", who: str = "This model doesn't"
) -> str:
    """The text with words in the case that a tokenizer has in its list; see `tell_words` for the rest.

    Args:
        sample: of the text that the list was made from, for a tokenizer of characters, which lists no words to offer.
    """
    read, known = normalization.normalize(tokenizer, typed), normalization.known_pieces(tokenizer) or ()
    unknown = read.unknown
    if tokenizer.kind == "char":
        unknown, known = tuple(w for w in typed.split() if {*w} & {*unknown}), tuple(sample.split())
    tell_words(unknown, control, typed, known, then, changed=read.changed, who=who)
    return read.text


def tell_letters(control: str, typed: str, letters: Sequence[str], named: str, known: Sequence[str]) -> None:
    """The same notes for a model of characters that reads capitals as small letters and leaves out all others.

    Args:
        letters: all that it knows.
        named: what they are, in words.
        known: texts to offer, as they are.
    """
    read, place = "".join(one for one in typed.lower() if one in letters), _place()
    if not typed.strip() or read == typed.lower():
        return
    unknown = [word for word in typed.split() if not set(word.lower()) <= set(letters)] if read.strip() else [typed]
    not_known = f"This model doesn't know {listed(unknown)}. It has" if unknown else "This model has"
    reads = f", and reads {quote_briefly(read)}" if read.strip() else ""
    with place:
        st.caption(f":material/info: {escape_markdown(f'{not_known} only {named}{reads}.')}")
        offer_words(unknown, control, typed, lambda _: known)


def offer_words(unknown: Sequence[str], control: str, typed: str, offered: Callable[[str], Sequence[str]]) -> None:
    """Known words as buttons that put them in the place of the first unknown one, signs such as commas apart.

    Args:
        unknown: words that are not known.
        control: the field in which the text was typed.
        typed: what stands in it.
        offered: which words to offer in place of one.
    """
    field = controls.settable(control) if control else None
    able = (one for one in unknown[:LOOKED_AT] if normalization.replaced(typed, one, "") != typed)
    word = next((one for one in able if one not in punctuation), None)
    known = () if field is None or word is None else offered(word)
    if field is None or word is None or not known:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=frame_key("offered", field)):
        st.caption(f"Instead of {escape_markdown(quote_briefly(printable(word), 16))}:", width="content")
        for one in known:
            st.button(
                escape_markdown(one),
                key=frame_key("offer", f"{field}-{one}"),
                on_click=st.session_state.__setitem__,
                args=(field, normalization.replaced(typed, word, one)),
            )


@memoize(MAX_OFFERS)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return normalization.nearest(word, known)
