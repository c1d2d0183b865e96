"""Normalization of typed text: other cases are tried, unknown words are reported, and no text is damaged."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.data import corpora
from core.data.tokenizers import MaskedTextTokenizer, known_word_normalization, train_tokenizer

WORDS = ("the", "THE", " Anna", "ANNA", "zebra", "<mask>", " <mask>", "Привет", "🙂", "\n", "  ", ".", "“", "it's")


@cache
def tokenizer(kind: str) -> Any:
    text = corpora.load("stories").text[:50_000]
    return MaskedTextTokenizer(train_tokenizer("word", text)) if kind == "gaps" else train_tokenizer(kind, text)


def test_the_case_that_is_known_is_read_and_what_is_not_known_is_told() -> None:
    found = known_word_normalization.recase_words_to_vocabulary(
        tokenizer("word_bytes"), "the dog saw ANNA and mia eat a Zebra."
    )
    assert found.text == " the dog saw Anna and Mia eat a Zebra."
    assert found.changed == {"ANNA": "Anna", "mia": "Mia"} and found.unknown == ("Zebra",)


def test_a_gap_is_no_unknown_word() -> None:
    found = known_word_normalization.recase_words_to_vocabulary(tokenizer("gaps"), "ANNA had a <mask> ball.")
    assert found.text == "Anna had a <mask> ball." and found.unknown == ()


@pytest.mark.parametrize("kind", ["char", "word", "word_bytes", "gaps", "bpe"])
@given(text=st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)))
def test_reading_twice_changes_nothing_more_and_loses_no_letter(kind: str, text: str) -> None:
    """A second reading that differs would make a script print other numbers than the screen."""
    found = known_word_normalization.recase_words_to_vocabulary(tokenizer(kind), text)
    again = known_word_normalization.recase_words_to_vocabulary(tokenizer(kind), found.text)
    assert again.text == found.text and again.unknown == found.unknown and not again.changed
    assert (
        found.text.replace(" ", "").lower()
        == known_word_normalization.replace_surrogates(text).replace(" ", "").lower()
    )
    if found.unknown == () and kind == "word":
        ids = tokenizer(kind).encode(found.text)
        assert tokenizer(kind).unknown_id not in ids or any(not piece.strip() for piece in tokenizer(kind).split(text))


def test_words_spelled_alike_are_found() -> None:
    known = tokenizer("word_bytes").words
    assert known_word_normalization.similar_words("bal", known)[0] == "ball"
    assert "Anna" in known_word_normalization.similar_words("Hanna", known)
    assert known_word_normalization.similar_words("Привет", known) == ()


def test_only_whole_words_are_replaced() -> None:
    assert (
        known_word_normalization.replace_word("A zebra saw zebras. zebra!", "zebra", "dog") == "A dog saw zebras. dog!"
    )
    assert known_word_normalization.replace_word("a.b a.b?", "a.b", r"\1") == r"\1 \1?"
