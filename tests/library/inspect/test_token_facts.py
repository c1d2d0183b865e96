"""Facts about a model's tokens besides their vectors, checked against its parameters."""

import numpy as np
import pytest

from core.data import corpora, tokenizers
from core.inspect import vocabulary_facts


def test_doubles_get_their_number_and_spaces_are_drawn() -> None:
    assert vocabulary_facts.token_labels(["a", " a", "\n", "a"]) == ("a (0)", "·a", "⏎", "a (3)")


def test_tokens_are_counted_in_the_text_of_the_model() -> None:
    words = tokenizers.train_tokenizer("word", corpora.load("stories").text[:5_000])
    found = vocabulary_facts.corpus_token_counts(words, words.vocab_size, "stories")
    text = list(words.encode(corpora.load("stories").text[: vocabulary_facts.COUNTED_CHARACTERS]))
    assert found is not None and len(found) == words.vocab_size and found.sum() == len(text)
    dot = words.encode(".")[0]
    assert found[dot] == text.count(dot) > 100
    for unknown in ("", "no such text", "../etc/passwd"):
        assert vocabulary_facts.corpus_token_counts(words, 4, unknown) is None


def test_a_map_leaves_out_bytes_that_the_text_never_needs() -> None:
    tokenizer = tokenizers.train_tokenizer("word_bytes", "a cat a dog")
    n_word, vocabulary = len(tokenizer.words), tokenizer.tokens(range(tokenizer.vocab_size))
    used, unused = tokenizer.encode("a cat, ü"), np.zeros(len(vocabulary), dtype=np.int64)
    counts = np.bincount(used, minlength=len(vocabulary))
    assert vocabulary_facts.tokens_except_unused_bytes(tokenizer, vocabulary, None) == tuple(range(n_word))
    assert vocabulary_facts.tokens_except_unused_bytes(tokenizer, vocabulary, unused) == tuple(range(n_word))
    bytes_used = tuple(sorted({i for i in used if i >= n_word}))
    assert len(bytes_used) >= 3
    assert vocabulary_facts.tokens_except_unused_bytes(tokenizer, vocabulary, counts) == (*range(n_word), *bytes_used)
    assert vocabulary_facts.select_map_token_ids(tokenizer, vocabulary, counts, 1_000) == (*range(n_word), *bytes_used)
    few = vocabulary_facts.select_map_token_ids(tokenizer, vocabulary, counts, 2)
    assert len(few) == 2 and set(few) <= set(used)


def test_the_most_frequent_tokens_in_the_order_of_their_ids() -> None:
    vocabulary = ["<", "the", "x", "cat", "of", "·"]
    assert vocabulary_facts._most_frequent_tokens(vocabulary, None, 6) == (0, 1, 2, 3, 4, 5)
    assert vocabulary_facts._most_frequent_tokens(vocabulary, np.array([5, 1, 9, 0, 7, 7]), 3) == (2, 4, 5)
    assert vocabulary_facts._most_frequent_tokens(vocabulary, None, 2) == (
        1,
        3,
    )  # words first, where frequencies are unknown
    assert vocabulary_facts._most_frequent_tokens(vocabulary, None, 4) == (0, 1, 3, 4)


def test_kinds_by_grammar_for_the_stories_words_alone() -> None:
    words, letters = (
        tokenizers.train_tokenizer(kind, corpora.load("stories").text[:5_000]) for kind in ("word", "char")
    )
    assert vocabulary_facts.token_kinds(words, [" red", " Mia"], "stories")[0] == ("colors", "names")
    assert vocabulary_facts.token_kinds(words, [" red", " Mia"], "")[0] == ("starts a word", "starts a word")
    assert vocabulary_facts.token_kinds(letters, ["r", " "], "stories")[0] == ("goes on in a word", "spaces")


@pytest.mark.parametrize("how_often", [np.array([7, 8, 9]), None])
def test_a_map_as_a_table(how_often: np.ndarray | None) -> None:
    table = vocabulary_facts.token_map_table(
        (0, 2), np.array([[0.12345, 1.0], [2.0, 3.0]]), labels=("a", "b", "c"), kinds=("x", "y", "z"),
        lengths=np.array([1.0, 2.0, 3.0]), how_often=how_often,
    )  # fmt: skip
    known = {"id": [0, 2], "token": ["a", "c"], "kind": ["x", "z"], "length": [1.0, 3.0]}
    counted = {} if how_often is None else {"count": [7, 9]}
    assert table == known | counted | {"axis 1": [0.1234, 2.0], "axis 2": [1.0, 3.0]}
