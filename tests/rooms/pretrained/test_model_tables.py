"""What is told of a model and its tokens, as tables that scripts print: against what they are made of."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from core.data import corpora, tokenizers
from core.inspect import token_facts
from core.models import pretrained, registry
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.nn.block import BlockStyle
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.compute.vectors import pair_table
from core.rooms.embeddings.compute.word_path import word_path
from core.rooms.pretrained.compute import tryout
from core.rooms.pretrained.compute.settings import MEANS, settings_table
from core.rooms.pretrained.compute.tryout import Guess, Labels
from core.rooms.pretrained.names import Names, Renamed, renamed
from core.rooms.pretrained.open_one import READABLE
from tests import tiny_model


def test_doubles_get_their_number_and_spaces_are_drawn() -> None:
    assert token_facts.labels(["a", " a", "\n", "a"]) == ("a (0)", "·a", "⏎", "a (3)")


def test_tokens_are_counted_in_the_text_of_the_model() -> None:
    words = tokenizers.train("word", corpora.load("stories").text[:5_000])
    found = token_facts.counts(words, words.vocab_size, "stories")
    assert found is not None and len(found) == words.vocab_size
    text = corpora.load("stories").text[: token_facts.COUNTED]
    dot = words.encode(".")[0]
    assert found[dot] == list(words.encode(text)).count(dot) > 100
    assert found.sum() == len(words.encode(text))


@pytest.mark.parametrize("corpus", ["", "no such text", "../etc/passwd"])
def test_a_text_that_nobody_knows_is_not_counted(corpus: str) -> None:
    assert token_facts.counts(tokenizers.train("char", "abc" * 300), 4, corpus) is None


def test_a_map_leaves_out_bytes_that_the_text_never_needs() -> None:
    tokenizer = tokenizers.train("word_bytes", "a cat a dog")
    n_word, vocabulary = len(tokenizer.words), tokenizer.tokens(range(tokenizer.vocab_size))
    used, unused = tokenizer.encode("a cat, ü"), np.zeros(len(vocabulary), dtype=np.int64)
    counts = np.bincount(used, minlength=len(vocabulary))
    assert token_facts.in_use(tokenizer, vocabulary, None) == tuple(range(n_word))
    assert token_facts.in_use(tokenizer, vocabulary, unused) == tuple(range(n_word))
    bytes_used = tuple(sorted({i for i in used if i >= n_word}))
    assert len(bytes_used) >= 3
    assert token_facts.in_use(tokenizer, vocabulary, counts) == (*range(n_word), *bytes_used)
    assert token_facts.on_map(tokenizer, vocabulary, counts, 1_000) == (*range(n_word), *bytes_used)
    few = token_facts.on_map(tokenizer, vocabulary, counts, 2)
    assert len(few) == 2 and set(few) <= set(used)


def test_the_most_frequent_tokens_in_the_order_of_their_ids() -> None:
    vocabulary = ["<", "the", "x", "cat", "of", "·"]
    assert token_facts.most_frequent(vocabulary, None, 6) == (0, 1, 2, 3, 4, 5)
    assert token_facts.most_frequent(vocabulary, np.array([5, 1, 9, 0, 7, 7]), 3) == (2, 4, 5)
    assert token_facts.most_frequent(vocabulary, None, 2) == (1, 3)  # words first, where frequencies are unknown
    assert token_facts.most_frequent(vocabulary, None, 4) == (0, 1, 3, 4)


def test_kinds_by_grammar_for_the_stories_words_alone() -> None:
    words = tokenizers.train("word", corpora.load("stories").text[:5_000])
    letters = tokenizers.train("char", corpora.load("stories").text[:5_000])
    assert token_facts.kinds(words, [" red", " Mia"], "stories")[0] == ("colors", "names")
    assert token_facts.kinds(words, [" red", " Mia"], "")[0] == ("starts a word", "starts a word")
    assert token_facts.kinds(letters, ["r", " "], "stories")[0] == ("goes on in a word", "spaces")


def test_a_map_as_a_table() -> None:
    points = np.array([[0.12345, 1.0], [2.0, 3.0]])
    known = {"labels": ("a", "b", "c"), "kinds": ("x", "y", "z"), "lengths": np.array([1.0, 2.0, 3.0])}
    table = token_facts.map_table((0, 2), points, how_often=np.array([7, 8, 9]), **known)  # type: ignore[arg-type]
    assert table == {
        "id": [0, 2], "token": ["a", "c"], "kind": ["x", "z"], "length": [1.0, 3.0], "count": [7, 9],
        "axis 1": [0.1234, 2.0], "axis 2": [1.0, 3.0],
    }  # fmt: skip
    assert "count" not in token_facts.map_table((0, 2), points, how_often=None, **known)  # type: ignore[arg-type]


def test_neighbors_as_a_table() -> None:
    table = embeddings.neighbors(np.array([[1.0, 0.0], [3.0, 3.0]]), 0, 1).table(("a", "b"))
    assert table["cosine"] == [1.0, 0.70711] and table["dot product"] == [1.0, 3.0] and table["length"] == [1.0, 4.2426]


def test_pairs_as_a_table() -> None:
    table = pair_table([("mine", (2.0, 1.0), (-1.0, 2.0)), ("none", (0.0, 0.0), (1.0, 0.0))])
    assert table["example"] == ["mine", "none"] and table["q"] == ["(2, 1)", "(0, 0)"]
    assert table["dot product"] == [0.0, 0.0] and table["angle"][0] == 90.0 and np.isnan(table["cosine"][1])


@pytest.mark.parametrize("directions", [True, False])
def test_two_paths_on_two_axes(directions: bool) -> None:
    sizes = {"vocab_size": 20, "n_layer": 2, "n_head": 2, "d_model": 16, "context_length": 12}
    path = word_path(registry.build(GPTConfig(**sizes), seed=0).eval(), [1, 2, 3], [4, 3], 2, 1)  # type: ignore[arg-type]
    points, shares = path.on_two_axes(directions=directions)
    assert points.shape == (2, len(path.stages), 2) and 0 < shares.sum() <= 1
    vectors = path.vectors.astype(np.float64)
    if directions:
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    flat = vectors.reshape(-1, 16)
    total = ((flat - flat.mean(0)) ** 2).sum()
    assert (points**2).sum() / total == pytest.approx(shares.sum())
    table = path.table(points)
    assert table["after"] == list(path.stages) and table["y 2"].tolist() == points[1, :, 1].round(4).tolist()


def test_settings_are_named_and_explained() -> None:
    config = GPTConfig(vocab_size=20, n_layer=2, n_head=2, d_model=16, context_length=12)
    table = settings_table(config)
    told = dict(zip(table["setting"], table["value"], strict=True))
    assert told["kind"] == "gpt" and told["d_model"] == "16" and told["block.norm"] == config.block.norm
    fields = {field.name for field in dataclasses.fields(RNNConfig)}
    assert fields | {"kind"} == set(settings_table(RNNConfig(vocab_size=9))["setting"])


@pytest.mark.parametrize("kind", registry.CONFIGS)
def test_every_setting_of_every_family_has_a_meaning(kind: str) -> None:
    fields = {field.name for field in dataclasses.fields(registry.CONFIGS[kind])} - {"block"}
    fields |= {f"block.{field.name}" for field in dataclasses.fields(BlockStyle)}
    assert fields - set(MEANS) == set()


def test_tensors_as_a_table(tmp_path: Path) -> None:
    rows = (Renamed("h.0.c_attn", (2, 6), ("wq", "wk"), True), Renamed("h.0.mask", (), (), False))
    assert Names(rows).table() == {
        "in the file": ["h.0.c_attn", "h.0.mask"], "shape": ["2 × 6", ""], "here": ["wq, wk", ""],
        "laid out anew": [True, False],
    }  # fmt: skip
    folder = tiny_model.write(tmp_path / "mine")
    assert renamed(str(folder)) == renamed(folder)


def test_a_guess_as_a_table() -> None:
    guess = Guess(1, np.array([0.2, 0.5, 0.3], np.float32), None, 1.0, 1.0, 1, ("a", "b", "c"))
    table = guess.table()
    assert table["token"] == ["b", "c", "a"] and table["id"] == [1, 2, 0] and table["probability"][0] == 0.5


def test_answers_as_a_table(tmp_path: Path) -> None:
    whole = Labels(np.array([0.25, 0.75], np.float32), ("no", "yes"), ("x",)).table()
    assert whole == {"label": ["no", "yes"], "probability": [0.25, 0.75]}
    each = Labels(np.array([[0.25, 0.75], [1, 0]], np.float32), ("no", "yes"), ("x", "y")).table()
    assert each == {"token": ["x", "y"], "label": ["yes", "no"], "probability": [0.75, 1.0]}
    assert tryout.answer_names(tmp_path, 2) == ("label 0", "label 1")
    (tmp_path / "config.json").write_text('{"id2label": {"0": "bad", "1": "good"}}')
    assert tryout.answer_names(str(tmp_path), 2) == ("bad", "good")
    assert tryout.answer_names(tmp_path, 3) == ("label 0", "label 1", "label 2")


def test_what_can_be_opened_is_what_is_read() -> None:
    assert {type for _, type, *_ in READABLE} == {*pretrained.FAMILIES, "any"}
