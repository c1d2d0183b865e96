"""The slow trainer learns what the fast library learns, merge by merge; and the film follows every border."""

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.data import corpora
from core.data.tokenizers.bpe import BPETokenizer, byte_letters
from core.rooms.tokens.compute.bpe_steps import byte_order, learn, merge, pieces
from core.rooms.tokens.compute.merge_film import film

CLASSIC = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"


def learned(text: str, n_merge: int = 10_000) -> list[tuple[bytes, bytes]]:
    return [step.pair for step in learn(text, n_merge)]


@pytest.mark.parametrize("name", ["python-topics", "python-library", "stories", "bottle-and-cup"])
def test_the_same_merges_as_the_library_on_real_texts(name: str) -> None:
    text, rng = corpora.load(name).text, random.Random(0)
    for _ in range(4):
        start = rng.randrange(len(text) - 4000)
        part = text[start : start + rng.randrange(500, 4000)]
        assert learned(part, 150) == BPETokenizer.train(part, 256 + 150).merges[:150]


@pytest.mark.slow
@given(
    st.text("ab ", min_size=1, max_size=200)
    | st.text("aé🦎 \n1.", min_size=1, max_size=80)
    | st.text(min_size=1, max_size=60)
)
@example("aaaa aaa aa a")
@example("abcabxbc" * 9)
@example(" \x00\x7f\xa0\xad\xff")
@settings(max_examples=150)
def test_the_same_merges_as_the_library_on_any_text_to_the_last(text: str) -> None:
    assert learned(text) == BPETokenizer.train(text, 8192).merges


def test_ties_go_to_the_lower_number_and_printable_bytes_are_lower() -> None:
    assert learned("ab cd", 1) == [(b"a", b"b")]  # each pair stands there once
    assert learned("b a", 1) == [(b" ", b"a")]
    assert learned("é b", 1) == [(b"\xc3", b"\xa9")]  # both are signs of Latin-1; the space is not
    assert byte_order() == list(byte_letters().values())


def test_the_classic_words() -> None:
    """Counted by hand: es 9, est 9 (newest x 6, widest x 3), then lo and low 7 each."""
    steps = list(learn(CLASSIC, 100))
    assert [(step.token.decode(), step.count) for step in steps[:5]] == [
        ("es", 9), ("est", 9), ("lo", 7), ("low", 7), ("ew", 6)
    ]  # fmt: skip
    assert len(steps) == 15
    assert film(CLASSIC, 100).tokens(15)[:2] == [b"low", b" low"]


def test_overlapping_places_count_each_but_merge_from_the_left() -> None:
    step = next(learn("aaa", 1))
    assert (step.pair, step.count) == ((b"a", b"a"), 2)
    assert merge([b"a", b"a", b"a"], (b"a", b"a")) == [b"aa", b"a"]


def test_the_top_pairs_are_counted_by_hand() -> None:
    step = next(learn("abab ab", 1, n_top=3))
    assert step.top == (((b"a", b"b"), 3), ((b"b", b"a"), 1), ((b" ", b"a"), 1))
    assert step.n_pair == 3


@given(st.text(max_size=150))
@settings(max_examples=100)
def test_pieces_lose_nothing_and_no_merge_crosses_them(text: str) -> None:
    assert b"".join(pieces(text)).decode() == text
    made = film(text, 1000)
    assert made.is_complete
    assert made.tokens(len(made.steps)) == pieces(text)


@given(st.text("abc 1é\n", max_size=120), st.integers(0, 40))
@settings(max_examples=100)
def test_the_film_shows_the_text_after_each_merge(text: str, n_merge: int) -> None:
    made = film(text, n_merge)
    spelled = [[bytes([byte]) for byte in piece] for piece in pieces(text)]
    for done in range(len(made.steps) + 1):
        if done:
            spelled = [merge(tokens, made.steps[done - 1].pair) for tokens in spelled]
        tokens = [token for one in spelled for token in one]
        assert made.tokens(done) == tokens
        assert made.n_token[done] == len(tokens)
    # The count of a step tells how often its pair stood there; overlaps apart, so many tokens fewer there are.
    saved = made.n_token[:-1] - made.n_token[1:]
    assert (saved <= [step.count for step in made.steps]).all()
    assert (saved >= 1).all()


def test_the_last_cut_is_what_the_tokenizer_makes_of_the_text() -> None:
    text = corpora.load("python-topics").text[:1500]
    made = film(text, 60)
    tokenizer = BPETokenizer(step.pair for step in made.steps)
    assert tokenizer.tokens(tokenizer.encode(text)) == [token.decode() for token in made.tokens(60)]


def test_an_empty_text_has_an_empty_film() -> None:
    made = film("", 10)
    assert made.steps == ()
    assert made.is_complete
    np.testing.assert_array_equal(made.n_token, [0])
    assert made.tokens(0) == []
