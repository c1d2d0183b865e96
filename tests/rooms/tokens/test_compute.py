"""Cuts, merges, sizes and look-ups: counted by hand, or compared with the library; and what pictures are sent."""

import json
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings, strategies as st

from core.browser.message_packing import unpack_message
from core.data import corpora
from core.data.tokenizers import BPETokenizer, CharTokenizer, WordTokenizer, train_tokenizer
from core.data.tokenizers.bpe import byte_letters
from core.rooms.tokens import born, size as size_exhibit
from core.rooms.tokens.born import CLASSIC_TEXT, byte_order, film_merges, learn_merges, merge_pair, split_pieces
from core.rooms.tokens.compute.one_hot import embed_both_ways, find_repeated_tokens, one_hot_matrix
from core.rooms.tokens.compute.tokenization import (
    MIN_TO_SPLIT,
    VocabularyCost,
    compare_vocabularies,
    first_merges,
    tokenize_text,
)
from tests.counts import count

ROOT = Path(__file__).parents[3]
TEXT = "The cat sat on the mat. " * 300
CORPORA = ("python-topics", "python-library", "stories", "bottle-and-cup")


def learned(text: str, n_merge: int = 10_000) -> list[tuple[bytes, bytes]]:
    return [step.pair for step in learn_merges(text, n_merge)]


@pytest.mark.parametrize("name", CORPORA)
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
@settings(max_examples=count(60, 150))
def test_the_same_merges_as_the_library_on_any_text_to_the_last(text: str) -> None:
    assert learned(text) == BPETokenizer.train(text, 8192).merges


def test_ties_go_to_the_lower_number_and_printable_bytes_are_lower() -> None:
    assert learned("ab cd", 1) == [(b"a", b"b")]  # each pair stands there once
    assert learned("b a", 1) == [(b" ", b"a")]
    assert learned("é b", 1) == [(b"\xc3", b"\xa9")]  # both are signs of Latin-1; the space is not
    assert byte_order() == list(byte_letters().values())


def test_pairs_are_counted_as_by_hand() -> None:
    """The classic words: es 9, est 9 (newest x 6, widest x 3), then lo and low 7 each; overlaps count each."""
    steps = list(learn_merges(CLASSIC_TEXT, 100))
    assert [(step.token.decode(), step.count) for step in steps[:5]] == [
        ("es", 9), ("est", 9), ("lo", 7), ("low", 7), ("ew", 6)
    ]  # fmt: skip
    made = film_merges(CLASSIC_TEXT, 100)
    assert (len(made.steps), made.n_token[-1], made.is_complete) == (15, 16, True)
    assert made.tokens(15)[:2] == [b"low", b" low"]
    step = next(learn_merges("aaa", 1))
    assert (step.pair, step.count) == ((b"a", b"a"), 2)
    assert merge_pair([b"a", b"a", b"a"], (b"a", b"a")) == [b"aa", b"a"]
    step = next(learn_merges("abab ab", 1, n_top=3))
    assert step.top == (((b"a", b"b"), 3), ((b"b", b"a"), 1), ((b" ", b"a"), 1))
    assert step.n_pair == 3


@given(st.text(max_size=60) | st.text("abc 1é\n", max_size=120), st.integers(0, 40))
@example("", 10)
@settings(max_examples=120)
def test_the_film_shows_the_text_after_each_merge_and_ends_with_its_pieces(text: str, n_merge: int) -> None:
    made, cut = film_merges(text, n_merge), split_pieces(text)
    assert b"".join(cut).decode() == text
    spelled = [[bytes([byte]) for byte in piece] for piece in cut]
    for done in range(len(made.steps) + 1):
        if done:
            spelled = [merge_pair(tokens, made.steps[done - 1].pair) for tokens in spelled]
        tokens = [token for one in spelled for token in one]
        assert made.tokens(done) == tokens
        assert made.n_token[done] == len(tokens)
    assert made.is_complete == (tokens == cut)
    # The count of a step tells how often its pair stood there; overlaps apart, so many tokens fewer there are.
    saved = made.n_token[:-1] - made.n_token[1:]
    assert (saved <= [step.count for step in made.steps]).all()
    assert (saved >= 1).all()


def test_the_last_cut_is_what_the_tokenizer_makes_of_the_text() -> None:
    text = corpora.load("python-topics").text[:1500]
    made = film_merges(text, 60)
    tokenizer = BPETokenizer(step.pair for step in made.steps)
    assert tokenizer.tokens(tokenizer.encode(text)) == [token.decode() for token in made.tokens(60)]


def test_unknown_pieces_are_counted_and_told_and_broken_bytes_are_drawn() -> None:
    found = tokenize_text(WordTokenizer.train("the cat sat"), "the dog sat " + "x" * 40)
    assert found.tokens == ("the", "<unknown>", " sat", "<unknown>")
    assert found.pieces == ("the", " dog", " sat", " " + "x" * 23 + "…")
    assert (found.n_unknown, found.n_token, found.vocab_size) == (2, 4, 4)
    assert found.characters_per_token == len("the dog sat " + "x" * 40) / 4
    found = tokenize_text(BPETokenizer([]), "é🦎")
    assert found.tokens == ("⟨C3⟩", "⟨A9⟩", "⟨F0⟩", "⟨9F⟩", "⟨A6⟩", "⟨8E⟩")
    assert (found.n_unknown, found.n_character) == (0, 2)


@given(st.text(max_size=100))
@settings(max_examples=60)
def test_any_text_can_be_cut(text: str) -> None:
    for tokenizer in (CharTokenizer.train("abc"), WordTokenizer.train("a b"), BPETokenizer([(b"a", b"b")])):
        found = tokenize_text(tokenizer, text)
        assert len(found.ids) == len(found.tokens) == len(found.pieces)
        "".join(found.tokens + found.pieces).encode("utf-8")


def test_a_small_vocabulary_is_the_beginning_of_a_large_one() -> None:
    text = corpora.load("python-topics").text[:100_000]
    largest = BPETokenizer.train(text, 2048)
    for size in (256, 257, 300, 2048):
        assert first_merges(largest, size).merges == BPETokenizer.train(text, size).merges
        assert first_merges(largest, size).vocab_size == size


def test_sizes_are_measured_on_text_that_was_not_read_unless_it_is_short() -> None:
    text = TEXT + "unseen zebras graze " * 10
    found = compare_vocabularies(text, [256, 265, 4096])
    assert found.is_held_out
    assert [one.vocab_size for one in found.bpe][:2] == [256, 265]
    assert found.bpe[-1].vocab_size < 4096  # nothing is left to merge
    cut_at = len(text) - round(len(text) * 0.1)
    learned, unread = text[:cut_at], text[cut_at:]
    assert found.bpe[0].n_token == len(unread.encode())
    assert found.bpe[1].n_token == len(BPETokenizer.train(learned, 265).encode(unread))
    words = train_tokenizer("word", learned)
    assert found.word.n_token == len(words.encode(unread))
    assert found.word.n_unknown == words.encode(unread).count(words.unknown_id) >= 30
    assert found.char.characters_per_token == 1
    assert found.bpe[1].n_embedding(64) == 265 * 64
    assert found.bpe[1].tokens_per_thousand == pytest.approx(1000 / found.bpe[1].characters_per_token)
    short = compare_vocabularies("hello" * 2, [256, 300])
    assert not short.is_held_out and short.word.n_unknown == 0
    assert compare_vocabularies("a" * MIN_TO_SPLIT, [256]).is_held_out


@given(st.lists(st.integers(0, 49), min_size=1, max_size=12), st.integers(1, 9))
@settings(max_examples=60)
def test_the_product_is_the_look_up_exactly(ids: list[int], d_model: int) -> None:
    table = torch.randn(50, d_model, generator=torch.Generator().manual_seed(d_model))
    found = embed_both_ways(table, torch.tensor(ids))
    assert found.difference == 0.0
    np.testing.assert_array_equal(found.product, found.rows)
    np.testing.assert_array_equal(found.rows, torch.nn.functional.embedding(torch.tensor(ids), table).numpy())
    np.testing.assert_array_equal(found.product.T, table.numpy().T @ found.one_hot.T)  # columns: the transpose
    assert (found.one_hot.sum(1) == 1).all()
    assert (found.one_hot.argmax(1) == ids).all()
    assert (found.multiply_adds, found.copied) == (len(ids) * 50 * d_model, len(ids) * d_model)
    with pytest.raises(RuntimeError):
        one_hot_matrix(torch.tensor([50]), 50)


def test_equal_tokens_have_equal_rows_and_others_would_be_told() -> None:
    ids = np.array([7, 3, 7, 7, 3, 5])
    rows = np.eye(8)[ids]
    found = [(one.id, one.places, one.difference) for one in find_repeated_tokens(ids, rows)]
    assert found == [(7, (0, 2, 3), 0.0), (3, (1, 4), 0.0)]
    rows[2, 0] += 0.5
    assert find_repeated_tokens(ids, rows)[0].difference == 0.5


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Instead of a browser: what it would be sent."""
    messages: list[bytes] = []
    monkeypatch.setattr("core.ui.widgets.widget.mount", lambda name, key, message, **how: messages.append(message))
    return messages


def test_the_message_tells_every_merge_by_its_tokens(sent: list[bytes]) -> None:
    made = film_merges("abab é ab", 3)
    born.draw_merges(made, key="m", label="A film")
    header, arrays = unpack_message(sent[0])
    label = [token[1] for token in header["tokens"]]
    told = [(label[left], label[right], label[new], count) for left, right, new, count, *_ in header["steps"]]
    assert told == [("a", "b", "ab", 3), ("⟨C3⟩", "⟨A9⟩", "é", 1), (" ", "ab", " ab", 1)]
    assert [token[2] for token in header["tokens"]] == [32, 97, 98, 169, 195, 256, 257, 258]
    assert header["n_character"] == 9
    assert not header["complete"]
    np.testing.assert_array_equal(arrays["n_token"], made.n_token)
    np.testing.assert_array_equal(arrays["gone"], made.gone)
    assert bytes(arrays["content"]).decode() == "abab é ab"
    assert header["takeaway"] == "A film: 3 merges make 5 tokens of 10 bytes."


def test_every_token_of_every_cut_has_a_label_and_the_largest_film_is_small(sent: list[bytes]) -> None:
    made = film_merges("naïve 🦎 \x00 naïve", 40)
    for one in (made, film_merges("a", 10), film_merges(corpora.load("python-topics").text[:2000], 200)):
        born.draw_merges(one, key="m", label="A film")
    known = {token[0] for token in unpack_message(sent[0])[0]["tokens"]}
    for step in range(len(made.steps) + 1):
        assert {token.decode("latin-1") for token in made.tokens(step)} <= known
    assert unpack_message(sent[1])[0]["steps"] == []
    assert len(sent[2]) < 60_000


def test_the_script_cuts_as_python_does(node: str) -> None:
    made = film_merges("The owl 🦎 and the other owls say: naïve, naïve!\n\n  12345 aaaa aaaaa", 60)
    given = json.dumps({"content": made.content.tolist(), "gone": made.gone.tolist(), "n": len(made.steps)})
    script = f"""
        import {{ cutAt, spell }} from {json.dumps((ROOT / "assets" / "widgets" / "tokens" / "cuts.js").as_uri())};
        const {{ content, gone, n }} = {given}, bytes = Uint8Array.from(content);
        const cuts = Array.from({{ length: n + 1 }}, (_, k) => cutAt(gone, k).map((place) => spell(bytes, place)));
        console.log(JSON.stringify(cuts));
    """
    done = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    cuts = [[token.decode("latin-1") for token in made.tokens(step)] for step in range(len(made.steps) + 1)]
    assert json.loads(done.stdout) == cuts


def test_the_trade_off_shows_what_was_given_on_fixed_axes() -> None:
    costs = [
        VocabularyCost("bpe", 256, 1000, 1000, 0),
        VocabularyCost("bpe", 512, 450, 1000, 0),
        VocabularyCost("word", 900, 300, 1000, 0),
    ]
    spec = size_exhibit._trade_off(costs, 64, 512, (4096, 10**6), "light")
    rows = [(row["vocabulary"], row["tokens"], row["embedding"]) for row in spec["datasets"]["rows"]]
    assert rows == [(256, 1000.0, 16384), (512, 450.0, 32768), (900, 300.0, 57600)]
    left, right = (layer["layer"][0]["encoding"]["y"]["scale"] for layer in spec["layer"][:2])
    assert left["domain"][0] == 0
    assert right["domain"] == [4096, 10**6]
    solid, hollow = (layer["layer"][1]["mark"]["filled"] for layer in spec["layer"][:2])
    assert (solid, hollow) == (True, False)  # the two axes differ in more than color
    assert spec["datasets"]["marked"] == [{"vocabulary": 512, "label": "chosen\n512"}]
    spec = size_exhibit._trade_off([*costs, VocabularyCost("bpe", 300, 3000, 1000, 0)], 64, 512, (4096, 10**6), "light")
    assert spec["layer"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"][1] >= 3000  # many bytes per character
