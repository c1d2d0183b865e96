"""The tokenizer of models that fill gaps: two more tokens around any other tokenizer."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data import tokenizers
from core.data.tokenizers.gaps import CLASS, MASK, GapTokenizer

TEXT = "Tom and Mia played near the park. Mia hid under the bench.\n" * 3
BASES = {kind: tokenizers.train(kind, TEXT, 300 if kind == "bpe" else None) for kind in ("char", "word", "bpe")}
every_base = pytest.mark.parametrize("base", BASES.values(), ids=BASES)


@every_base
def test_a_text_begins_with_class_and_comes_back(base: tokenizers.Tokenizer) -> None:
    gaps = GapTokenizer(base)
    ids = gaps.encode("Tom hid")
    assert ids == [gaps.class_id, *base.encode("Tom hid")] and gaps.decode(ids) == "Tom hid"
    assert gaps.tokens(ids)[0] == CLASS and gaps.tokens(ids)[1:] == base.tokens(ids[1:])
    assert gaps.vocab_size == base.vocab_size + 2 == gaps.mask_id + 1 and gaps.kind == base.kind
    with pytest.raises(ValueError, match="outside the vocabulary"):
        gaps.decode([gaps.vocab_size])


def test_a_gap_takes_the_place_of_a_word_and_its_space() -> None:
    gaps = GapTokenizer(BASES["word"])
    hidden, plain = gaps.encode(f"Tom {MASK} near the {MASK}."), gaps.encode("Tom played near the park.")
    assert len(hidden) == len(plain)
    assert [a == b for a, b in zip(hidden, plain, strict=True)] == [True, True, False, True, True, False, True]
    assert gaps.decode(hidden) == f"Tom {MASK} near the {MASK}." and gaps.encode(MASK) == [gaps.class_id, gaps.mask_id]


@given(st.text(alphabet="Tomand .<mask>\n", max_size=40))
def test_any_text_comes_back(text: str) -> None:
    gaps = GapTokenizer(BASES["bpe"])
    once = gaps.decode(gaps.encode(text))
    assert once.replace(f" {MASK}", MASK) == text.replace(f" {MASK}", MASK)


@every_base
def test_saved_and_loaded(base: tokenizers.Tokenizer, tmp_path: Path) -> None:
    gaps = GapTokenizer(base)
    gaps.save(tmp_path)
    again = tokenizers.load(tmp_path)
    assert isinstance(again, GapTokenizer) and again.encode(f"Mia {MASK}") == gaps.encode(f"Mia {MASK}")
    assert getattr(base, "unknown_id", None) == again.unknown_id


@pytest.mark.parametrize("depth", [2, 5_000])
def test_gaps_within_gaps_are_refused(depth: int) -> None:
    head = '{"format": "glassformer-tokenizer", "version": 1, "kind": "gaps", "base": '
    inner = json.dumps({"format": "glassformer-tokenizer", "version": 1, "kind": "char", "vocabulary": ["a", "�"]})
    with pytest.raises(ValueError, match="tokenizer file"):
        tokenizers.from_bytes((head * depth + inner + "}" * depth).encode())


@pytest.mark.parametrize("base", [None, [], "char", {}])
def test_damaged_files_are_refused(base: object) -> None:
    data = {"format": "glassformer-tokenizer", "version": 1, "kind": "gaps", "base": base}
    with pytest.raises(ValueError, match="was not written by Glassformer"):
        tokenizers.from_bytes(json.dumps(data).encode())
