"""Normalization of a text to a model's vocabulary: words in a different case if needed, and the unknown words."""

import difflib
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from core.data.printable import replace_surrogates
from core.data.tokenizers.gap_tokenizers import AddedTokensTokenizer


@dataclass(frozen=True)
class RecasedText:
    """A text normalized for a tokenizer of words (or of characters)."""

    text: str  # its words in the case and with the leading space that the vocabulary has
    changed: dict[str, str]  # word as typed -> word as read, if the case differs
    unknown: tuple[str, ...]  # words missing from the vocabulary in any case, as typed, each once; no white space


def recase_words_to_vocabulary(tokenizer: object, text: str) -> RecasedText:
    """Try each word in other cases, and with a space before it. A tokenizer without a list of words changes nothing.

    "the dog saw ANNA" becomes " the dog saw Anna": the stories never begin with "the", but they contain " the".
    """
    known, split = vocabulary_without_unknown(tokenizer), getattr(_cutter(tokenizer), "split", None)
    if known is None or split is None:
        return RecasedText(text, {}, ())
    pieces, changed, unknown = [], {}, []
    parts = (
        tokenizer.pieces(replace_surrogates(text))
        if isinstance(tokenizer, AddedTokensTokenizer)
        else [replace_surrogates(text)]
    )
    for n, part in enumerate(parts):
        if n % 2:  # a mark
            pieces.append(part)
            continue
        for piece in split(part):
            form = _known_form(piece, known, words=_cutter(tokenizer).kind != "char")
            pieces.append(piece if form is None else form)
            if form is None:
                unknown.append(piece.strip())
            elif form.strip() != piece.strip():
                changed[piece.strip()] = form.strip()
    return RecasedText("".join(pieces), changed, tuple(filter(None, dict.fromkeys(unknown))))


def restrict_normalization_report(tokenizer: object, whole: RecasedText, end: str) -> RecasedText:
    """Restrict the report on a normalized text to its end, if only that is read.

    Args:
        whole: the whole text, as `recase_words_to_vocabulary` returns it.
        end: the end of `whole.text`.
    """
    if not whole.changed and not whole.unknown:
        return whole
    pieces = {piece.strip() for piece in split(end)} if (split := getattr(_cutter(tokenizer), "split", None)) else set()
    changed = {typed: known for typed, known in whole.changed.items() if known in pieces}
    return RecasedText(whole.text, changed, tuple(one for one in whole.unknown if one in pieces))


def vocabulary_without_unknown(tokenizer: object) -> tuple[str, ...] | None:
    """Return the words or characters in the tokenizer's list without the unknown token; None if it has no list."""
    cutter = _cutter(tokenizer)
    words = getattr(cutter, "words", None)
    if isinstance(words, tuple):
        return words
    vocabulary = getattr(cutter, "vocabulary", None)
    return vocabulary[:-1] if isinstance(vocabulary, tuple) else None


def _known_form(piece: str, known: Container[str], words: bool = True) -> str | None:
    """Return the piece as the vocabulary has it: unchanged, in another case, or (a word) after a space; else None."""
    bare = piece.removeprefix(" ") or piece
    before = piece[: len(piece) - len(bare)]
    for space in (before, " ") if words and bare[0].isalnum() else (before,):
        for form in (bare, bare.capitalize(), bare.lower()) if words else (bare, bare.swapcase()):
            if space + form in known:
                return space + form
    return None


def similar_words(word: str, known: Iterable[str], most: int = 2) -> tuple[str, ...]:
    """Return known words with a similar spelling, the most similar first."""
    plain = {piece.strip().lower(): piece.strip() for piece in known if piece.strip().isalpha()}
    return tuple(plain[near] for near in difflib.get_close_matches(word.lower(), plain, n=most, cutoff=0.6))


def suggest_known_words(word: str, known: Iterable[str], most: int = 6) -> tuple[str, ...]:
    """Suggest known words for an unknown one: first similar spellings, then names for a name and words for a word.

    A word counts as a name if it is known only with a capital. Words of one or two letters come last.
    """
    words = dict.fromkeys(piece.strip() for piece in known if piece.strip().isalpha())

    def distance(other: str) -> tuple[bool, bool, float]:
        is_name = other[0].isupper() and other.lower() not in words
        ratio = difflib.SequenceMatcher(None, word.lower(), other.lower()).ratio()
        return is_name != word[:1].isupper(), len(other) < 3, -ratio

    return tuple(dict.fromkeys([*similar_words(word, words), *sorted(words, key=distance)]))[:most]


def replace_word(text: str, word: str, by: str) -> str:
    """Replace a word (or a sign) everywhere in a text, in any case, but not inside of other words."""
    before, after = (r"(?<!\w)" if word[:1].isalnum() else "", r"(?!\w)" if word[-1:].isalnum() else "")
    return re.sub(before + re.escape(word) + after, lambda _: by, text, flags=re.IGNORECASE)


def _cutter(tokenizer: object) -> Any:
    """Return the underlying tokenizer if this one only adds tokens for gaps."""
    return getattr(tokenizer, "base", tokenizer)
