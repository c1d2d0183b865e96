"""Normalization of typed text: other cases are tried, unknown words are reported, and no text is damaged."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.data import corpora
from core.data.tokenizers import GapTokenizer, normalization, train

WORDS = ("the", "THE", " Anna", "ANNA", "zebra", "<mask>", " <mask>", "Привет", "🙂", "\n", "  ", ".", "“", "it's")


@cache
def tokenizer(kind: str) -> Any:
    text = corpora.load("stories").text[:50_000]
    return GapTokenizer(train("word", text)) if kind == "gaps" else train(kind, text)


def test_the_case_that_is_known_is_read_and_what_is_not_known_is_told() -> None:
    found = normalization.normalize(tokenizer("word_bytes"), "the dog saw ANNA and mia eat a Zebra.")
    assert found.text == " the dog saw Anna and Mia eat a Zebra."
    assert found.changed == {"ANNA": "Anna", "mia": "Mia"} and found.unknown == ("Zebra",)


def test_a_gap_is_no_unknown_word() -> None:
    found = normalization.normalize(tokenizer("gaps"), "ANNA had a <mask> ball.")
    assert found.text == "Anna had a <mask> ball." and found.unknown == ()


@pytest.mark.parametrize("kind", ["char", "word", "word_bytes", "gaps", "bpe"])
@given(text=st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)))
def test_reading_twice_changes_nothing_more_and_loses_no_letter(kind: str, text: str) -> None:
    """A second reading that differs would make a script print other numbers than the screen."""
    found = normalization.normalize(tokenizer(kind), text)
    again = normalization.normalize(tokenizer(kind), found.text)
    assert again.text == found.text and again.unknown == found.unknown and not again.changed
    assert found.text.replace(" ", "").lower() == normalization.clean(text).replace(" ", "").lower()
    if found.unknown == () and kind == "word":
        ids = tokenizer(kind).encode(found.text)
        assert tokenizer(kind).unknown_id not in ids or any(not piece.strip() for piece in tokenizer(kind).split(text))


def test_words_spelled_alike_are_found() -> None:
    known = tokenizer("word_bytes").words
    assert normalization.alike("bal", known)[0] == "ball"
    assert "Anna" in normalization.alike("Hanna", known)
    assert normalization.alike("Привет", known) == ()


def test_only_whole_words_are_replaced() -> None:
    assert normalization.replaced("A zebra saw zebras. zebra!", "zebra", "dog") == "A dog saw zebras. dog!"
    assert normalization.replaced("a.b a.b?", "a.b", r"\1") == r"\1 \1?"
