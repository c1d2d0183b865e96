"""The tokenizer of models that fill gaps: two more tokens around any other tokenizer."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.data import tokenizers
from core.data.tokenizers.gap_tokenizers import CLASS, MASK, PAD, SENTINEL, MaskedTextTokenizer, SentinelTokenizer
from core.data.tokenizers.known_word_normalization import recase_words_to_vocabulary

TEXT = "Tom and Mia played near the park. Mia hid under the bench.\n" * 3
BASES = {
    kind: tokenizers.train_tokenizer(kind, TEXT, 300 if kind == "bpe" else None) for kind in ("char", "word", "bpe")
}
every_base = pytest.mark.parametrize("base", BASES.values(), ids=BASES)


@every_base
def test_a_text_begins_with_class_and_comes_back(base: tokenizers.Tokenizer) -> None:
    gaps = MaskedTextTokenizer(base)
    ids = gaps.encode("Tom hid")
    assert ids == [gaps.class_id, *base.encode("Tom hid")] and gaps.decode(ids) == "Tom hid"
    assert gaps.tokens(ids)[0] == CLASS and gaps.tokens(ids)[1:] == base.tokens(ids[1:])
    assert gaps.vocab_size == base.vocab_size + 2 == gaps.mask_id + 1 and gaps.kind == base.kind
    with pytest.raises(ValueError, match="outside the vocabulary"):
        gaps.decode([gaps.vocab_size])


def test_a_gap_takes_the_place_of_a_word_and_its_space() -> None:
    gaps = MaskedTextTokenizer(BASES["word"])
    hidden, plain = gaps.encode(f"Tom {MASK} near the {MASK}."), gaps.encode("Tom played near the park.")
    assert len(hidden) == len(plain)
    assert [a == b for a, b in zip(hidden, plain, strict=True)] == [True, True, False, True, True, False, True]
    assert gaps.decode(hidden) == f"Tom {MASK} near the {MASK}." and gaps.encode(MASK) == [gaps.class_id, gaps.mask_id]


@given(st.text(alphabet="Tomand .<mask>\n", max_size=40))
def test_any_text_comes_back(text: str) -> None:
    gaps = MaskedTextTokenizer(BASES["bpe"])
    once = gaps.decode(gaps.encode(text))
    assert once.replace(f" {MASK}", MASK) == text.replace(f" {MASK}", MASK)


@every_base
def test_saved_and_loaded(base: tokenizers.Tokenizer, tmp_path: Path) -> None:
    gaps = MaskedTextTokenizer(base)
    gaps.save(tmp_path)
    again = tokenizers.load(tmp_path)
    assert isinstance(again, MaskedTextTokenizer) and again.encode(f"Mia {MASK}") == gaps.encode(f"Mia {MASK}")
    assert getattr(base, "unknown_id", None) == again.unknown_id


@pytest.mark.parametrize("depth", [2, 5_000])
def test_gaps_within_gaps_are_refused(depth: int) -> None:
    head = '{"format": "glassformer-tokenizer", "version": 1, "kind": "gaps", "base": '
    inner = json.dumps({"format": "glassformer-tokenizer", "version": 1, "kind": "char", "vocabulary": ["a", "�"]})
    with pytest.raises(ValueError, match="tokenizer file"):
        tokenizers.tokenizer_from_bytes((head * depth + inner + "}" * depth).encode())


@pytest.mark.parametrize("base", [None, [], "char", {}])
def test_damaged_files_are_refused(base: object) -> None:
    data = {"format": "glassformer-tokenizer", "version": 1, "kind": "gaps", "base": base}
    with pytest.raises(ValueError, match="was not written by Glassformer"):
        tokenizers.tokenizer_from_bytes(json.dumps(data).encode())


@every_base
def test_sentinels_stand_for_spans(base: tokenizers.Tokenizer, tmp_path: Path) -> None:
    spans = SentinelTokenizer(base, 12)
    ids = spans.encode("Tom <extra_id_0> the park. <extra_id_11> hid<extra_id_12>")
    assert [i for i in ids if i >= base.vocab_size] == [spans.sentinels[0], spans.sentinels[11]]
    assert spans.decode(ids) == "Tom <extra_id_0> the park. <extra_id_11> hid<extra_id_12>" or "�" in spans.decode(ids)
    assert spans.tokens([spans.pad_id, spans.end_id]) == [PAD, SENTINEL.format(11)]
    assert spans.vocab_size == base.vocab_size + 13 and spans.start_id == spans.pad_id == base.vocab_size
    assert spans.end_of(ids[:4]) == spans.sentinels[1] and spans.end_of([]) == spans.sentinels[0]
    assert spans.end_of(ids) == spans.end_id
    spans.save(tmp_path)
    again = tokenizers.load(tmp_path)
    assert isinstance(again, SentinelTokenizer) and again.encode("a <extra_id_3>b") == spans.encode("a <extra_id_3>b")


def test_a_sentinel_is_read_as_it_stands_and_words_around_it_in_the_case_that_is_known() -> None:
    spans = SentinelTokenizer(BASES["word"], 3)
    found = recase_words_to_vocabulary(spans, "tom <extra_id_0> near the <extra_id_1> wall")
    assert found.text == "Tom <extra_id_0> near the <extra_id_1> wall" and found.unknown == ("wall",)


@given(st.text(alphabet="Tomand .<extra_id_01>\n", max_size=60))
def test_any_text_with_sentinels_comes_back(text: str) -> None:
    spans = SentinelTokenizer(BASES["bpe"], 2)
    ids = spans.encode(text)
    assert spans.encode(spans.decode(ids)) == ids


@pytest.mark.parametrize("n_sentinel", [1, 0, -1, 10**9, None, "3", True, 2.5])
def test_a_file_with_nonsense_for_sentinels_is_refused(n_sentinel: object) -> None:
    base = {"format": "glassformer-tokenizer", "version": 1, "kind": "char", "vocabulary": ["a", "�"]}
    data = {**base, "kind": "spans", "base": base, "n_sentinel": n_sentinel}
    with pytest.raises(ValueError, match="sentinel"):
        tokenizers.tokenizer_from_bytes(json.dumps(data).encode())
