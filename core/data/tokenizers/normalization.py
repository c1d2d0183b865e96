"""A text read with the words that a model knows, in another case where need be; and the words it doesn't know."""

import difflib
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from core.data.printable import clean
from core.data.tokenizers.gaps import MarkTokenizer


@dataclass(frozen=True)
class NormalizedText:
    """A text as a tokenizer of words (or of characters) reads it best."""

    text: str  # with words in the case, and with the space before them, that the tokenizer has in its list
    changed: dict[str, str]  # word as typed -> word as read, where the case is another one
    unknown: tuple[str, ...]  # what the list has in no case, as typed, each once; spaces and line ends are not told


def normalize(tokenizer: object, text: str) -> NormalizedText:
    """Try each word in the other cases, and with a space before it. A tokenizer without a list reads all as it is.

    "the dog saw ANNA" becomes " the dog saw Anna": the stories never begin with "the", but they hold " the".
    """
    known, split = known_pieces(tokenizer), getattr(_cutter(tokenizer), "split", None)
    if known is None or split is None:
        return NormalizedText(text, {}, ())
    pieces, changed, unknown = [], {}, []
    parts = tokenizer.pieces(clean(text)) if isinstance(tokenizer, MarkTokenizer) else [clean(text)]
    for n, part in enumerate(parts):
        if n % 2:  # a mark
            pieces.append(part)
            continue
        for piece in split(part):
            form = known_form(piece, known, words=_cutter(tokenizer).kind != "char")
            pieces.append(piece if form is None else form)
            if form is None:
                unknown.append(piece.strip())
            elif form.strip() != piece.strip():
                changed[piece.strip()] = form.strip()
    return NormalizedText("".join(pieces), changed, tuple(filter(None, dict.fromkeys(unknown))))


def of_the_end(tokenizer: object, whole: NormalizedText, end: str) -> NormalizedText:
    """What is to be said of the end of a text, where no more of it is read.

    Args:
        whole: all of the text, as `normalize` gives it.
        end: of `whole.text`.
    """
    if not whole.changed and not whole.unknown:
        return whole
    pieces = {piece.strip() for piece in split(end)} if (split := getattr(_cutter(tokenizer), "split", None)) else set()
    changed = {typed: known for typed, known in whole.changed.items() if known in pieces}
    return NormalizedText(whole.text, changed, tuple(one for one in whole.unknown if one in pieces))


def known_pieces(tokenizer: object) -> tuple[str, ...] | None:
    """The words or characters in the tokenizer's list, the token for everything unknown left out; None: no list."""
    cutter = _cutter(tokenizer)
    words = getattr(cutter, "words", None)
    if isinstance(words, tuple):
        return words
    vocabulary = getattr(cutter, "vocabulary", None)
    return vocabulary[:-1] if isinstance(vocabulary, tuple) else None


def known_form(piece: str, known: Container[str], words: bool = True) -> str | None:
    """The piece as the list has it: as it is, in another case, or (a word) with a space before it; else None."""
    bare = piece.removeprefix(" ") or piece
    before = piece[: len(piece) - len(bare)]
    for space in (before, " ") if words and bare[0].isalnum() else (before,):
        for form in (bare, bare.capitalize(), bare.lower()) if words else (bare, bare.swapcase()):
            if space + form in known:
                return space + form
    return None


def alike(word: str, known: Iterable[str], most: int = 2) -> tuple[str, ...]:
    """Known words that are spelled much like this one, the most alike first."""
    plain = {piece.strip().lower(): piece.strip() for piece in known if piece.strip().isalpha()}
    return tuple(plain[near] for near in difflib.get_close_matches(word.lower(), plain, n=most, cutoff=0.6))


def nearest(word: str, known: Iterable[str], most: int = 6) -> tuple[str, ...]:
    """Known words to offer in place of one: those spelled alike, then names for a name and other words for another.

    A name is what is known with a capital only; words of one or two letters come last.
    """
    words = dict.fromkeys(piece.strip() for piece in known if piece.strip().isalpha())

    def distance(other: str) -> tuple[bool, bool, float]:
        is_name = other[0].isupper() and other.lower() not in words
        ratio = difflib.SequenceMatcher(None, word.lower(), other.lower()).ratio()
        return is_name != word[:1].isupper(), len(other) < 3, -ratio

    return tuple(dict.fromkeys([*alike(word, words), *sorted(words, key=distance)]))[:most]


def replaced(text: str, word: str, by: str) -> str:
    """The text with a word (or a sign), wherever it stands alone, large or small, replaced by another one."""
    before, after = (r"(?<!\w)" if word[:1].isalnum() else "", r"(?!\w)" if word[-1:].isalnum() else "")
    return re.sub(before + re.escape(word) + after, lambda _: by, text, flags=re.IGNORECASE)


def _cutter(tokenizer: object) -> Any:
    """The one that cuts, where tokens for gaps were added."""
    return getattr(tokenizer, "base", tokenizer)
