"""What the room of tokens promises under “Try this” happens with its own example, corpora and model."""

import pytest

from core.rooms.tokens import born, rows, size
from core.rooms.tokens.compute.tokenization import Tokenization
from core.rooms.tokens.inputs import EXAMPLE_TEXT, TextToCut

# The text of Python's documentation is that of the Python that runs, so the texts tell rough numbers of it.
SOURCE = "python-topics"


def cut(kind: str, vocab_size: int = 1024) -> Tokenization:
    return TextToCut(vocab_size=vocab_size).cut(kind)


def test_characters_and_words_lose_something_and_bpe_never_as_it_has_all_bytes() -> None:
    assert cut("char").n_unknown > 0
    assert cut("word").n_unknown > 0
    for vocab_size in (256, 1024, 8192):
        assert cut("bpe", vocab_size).n_unknown == 0
    tokens = cut("bpe", 1024).tokens
    place = tokens.index("⟨F0⟩")
    assert tokens[place : place + 4] == ("⟨F0⟩", "⟨9F⟩", "⟨A6⟩", "⟨8E⟩")


def test_the_example_has_77_bytes_and_half_as_many_tokens_at_last() -> None:
    assert cut("bpe", 256).n_token == len(EXAMPLE_TEXT.encode()) == 77
    assert cut("bpe", 8192).n_token / 77 == pytest.approx(0.5, abs=0.06)
    assert " exception" in cut("bpe", 8192).tokens


def test_the_first_merges_of_a_corpus_save_most() -> None:
    n_token = born.compute(born.Inputs(source="corpus", merges=born.MOST_MERGES)).n_token
    saved = n_token[:-1] - n_token[1:]
    assert saved[:50].sum() > 2 * saved[-50:].sum()


def test_the_first_doubling_halves_and_the_last_takes_a_twentieth() -> None:
    tokens = {one.vocab_size: one.n_token for one in size.compare_sizes(SOURCE).bpe}
    assert tokens[512] / tokens[256] < 0.5
    assert 1 - tokens[8192] / tokens[4096] == pytest.approx(0.05, abs=0.02)


def test_words_have_a_large_table_more_tokens_and_unknown_ones() -> None:
    found = size.compare_sizes(SOURCE)
    bpe = {one.vocab_size: one for one in found.bpe}
    assert found.word.vocab_size > 4000
    assert found.word.n_token > bpe[512].n_token
    assert 0.01 < found.word.n_unknown / found.word.n_token < 0.04
    assert found.is_held_out


def test_the_language_of_the_stories_is_soon_complete() -> None:
    found = size.compare_sizes("stories")
    assert found.bpe[-1].vocab_size < 1000
    assert found.bpe[-1].n_token <= found.word.n_token


def test_mia_stands_at_2_and_8_with_one_vector() -> None:
    found = rows.compute(rows.Inputs())
    again = found.again
    assert found.vectors.difference == 0 and again is not None
    assert (found.given.tokens[2], again.places, again.difference) == (" Mia", (2, 8), 0.0)
