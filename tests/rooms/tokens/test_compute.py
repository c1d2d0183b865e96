"""Cuts, vocabulary sizes and look-ups: counted by hand, or compared with the library."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data import corpora
from core.data.tokenizers import BPETokenizer, CharTokenizer, WordTokenizer, train
from core.rooms.tokens.compute.one_hot import embed, one_hot, repeats
from core.rooms.tokens.compute.tokenization import tokenize
from core.rooms.tokens.compute.vocabulary_size import MIN_TO_SPLIT, compare, first_merges

TEXT = "The cat sat on the mat. " * 300


def test_unknown_pieces_are_counted_and_told() -> None:
    found = tokenize(WordTokenizer.train("the cat sat"), "the dog sat " + "x" * 40)
    assert found.tokens == ("the", "<unknown>", " sat", "<unknown>")
    assert found.pieces == ("the", " dog", " sat", " " + "x" * 23 + "…")
    assert (found.n_unknown, found.n_token, found.vocab_size) == (2, 4, 4)
    assert found.characters_per_token == len("the dog sat " + "x" * 40) / 4


def test_bytes_lose_nothing_and_broken_ones_are_drawn() -> None:
    found = tokenize(BPETokenizer([]), "é🦎")
    assert found.tokens == ("⟨C3⟩", "⟨A9⟩", "⟨F0⟩", "⟨9F⟩", "⟨A6⟩", "⟨8E⟩")
    assert (found.n_unknown, found.n_character) == (0, 2)


@given(st.text(max_size=100))
@settings(max_examples=60)
def test_any_text_can_be_cut(text: str) -> None:
    for tokenizer in (CharTokenizer.train("abc"), WordTokenizer.train("a b"), BPETokenizer([(b"a", b"b")])):
        found = tokenize(tokenizer, text)
        assert len(found.ids) == len(found.tokens) == len(found.pieces)
        "".join(found.tokens + found.pieces).encode("utf-8")


def test_a_small_vocabulary_is_the_beginning_of_a_large_one() -> None:
    text = corpora.load("python-topics").text[:200_000]
    largest = BPETokenizer.train(text, 2048)
    for size in (256, 257, 300, 512, 1024, 2048):
        assert first_merges(largest, size).merges == BPETokenizer.train(text, size).merges
        assert first_merges(largest, size).vocab_size == size


def test_sizes_are_measured_on_text_that_was_not_read() -> None:
    text = TEXT + "unseen zebras graze " * 10
    found = compare(text, [256, 265, 4096])
    assert found.is_held_out
    assert [one.vocab_size for one in found.bpe][:2] == [256, 265]
    assert found.bpe[-1].vocab_size < 4096  # nothing is left to merge
    cut_at = len(text) - round(len(text) * 0.1)
    learned, unread = text[:cut_at], text[cut_at:]
    assert found.bpe[0].n_token == len(unread.encode())
    assert found.bpe[1].n_token == len(BPETokenizer.train(learned, 265).encode(unread))
    words = train("word", learned)
    assert found.word.n_token == len(words.encode(unread))
    assert found.word.n_unknown == words.encode(unread).count(words.unknown_id) >= 30
    assert found.char.characters_per_token == 1
    assert found.bpe[1].n_embedding(64) == 265 * 64
    assert found.bpe[1].tokens_per_thousand == pytest.approx(1000 / found.bpe[1].characters_per_token)


def test_a_short_text_is_measured_on_itself() -> None:
    found = compare("hello"[:5] * 2, [256, 300])
    assert not found.is_held_out
    assert found.word.n_unknown == 0
    assert compare("a" * MIN_TO_SPLIT, [256]).is_held_out


@given(st.lists(st.integers(0, 49), min_size=1, max_size=12), st.integers(1, 9))
@settings(max_examples=60)
def test_the_product_is_the_look_up_exactly(ids: list[int], d_model: int) -> None:
    table = torch.randn(50, d_model, generator=torch.Generator().manual_seed(d_model))
    found = embed(table, torch.tensor(ids))
    assert found.difference == 0.0
    np.testing.assert_array_equal(found.product, found.rows)
    np.testing.assert_array_equal(found.rows, torch.nn.functional.embedding(torch.tensor(ids), table).numpy())
    np.testing.assert_array_equal(found.product.T, table.numpy().T @ found.one_hot.T)  # columns: the transpose
    assert (found.one_hot.sum(1) == 1).all()
    assert (found.one_hot.argmax(1) == ids).all()
    assert (found.multiply_adds, found.copied) == (len(ids) * 50 * d_model, len(ids) * d_model)


def test_equal_tokens_have_equal_rows_and_others_would_be_told() -> None:
    ids = np.array([7, 3, 7, 7, 3, 5])
    rows = np.eye(8)[ids]
    assert [(one.id, one.places, one.difference) for one in repeats(ids, rows)] == [
        (7, (0, 2, 3), 0.0),
        (3, (1, 4), 0.0),
    ]
    rows[2, 0] += 0.5
    assert repeats(ids, rows)[0].difference == 0.5


def test_an_id_outside_of_the_table_is_refused() -> None:
    with pytest.raises(RuntimeError):
        one_hot(torch.tensor([5]), 5)
