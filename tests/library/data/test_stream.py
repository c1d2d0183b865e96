"""A text that comes token by token is the same text, for every kind of tokenizer, wherever it is cut.

Catches: spaces that get lost between tokens, characters that are torn, marks such as `##` in the text.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings, strategies as st

from core.data.tokenizers import (
    BPETokenizer,
    CharTokenizer,
    MaskedTextTokenizer,
    SentinelTokenizer,
    TiktokenTokenizer,
    WordByteTokenizer,
    WordTokenizer,
    bpe,
    incremental_decoding,
)
from core.data.tokenizers.incremental_decoding import StreamingDetokenizer, decode_continuation, stream_decoded_text
from core.data.tokenizers.published_tokenizer import _PublishedTokenizer
from core.data.tokenizers.tokenizer_base import VocabularyPaddedTokenizer
from tests.library.data import tokenizers_today
from tests.library.data.test_foreign import FAMILIES

TEXT = "the cat sat on the mat, and the cats sat. 漢字 é \U0001f642\U0001f600 naïve \ufffd end\n"
ADDED = ["é", "Ġhi", "ü!", "«end»", "日本", "®"]  # whose letters stand for bytes, too, or partly


def tiktokens() -> TiktokenTokenizer:
    made = TiktokenTokenizer.__new__(TiktokenTokenizer)
    ranks = {bytes([b]): b for b in range(256)}
    made._encoding = tiktoken.Encoding("s", pat_str=bpe.PATTERN, mergeable_ranks=ranks, special_tokens={"<|e|>": 260})
    return made


def with_added() -> _PublishedTokenizer:
    run = FAMILIES["byte-bpe"]().backend_tokenizer
    run.add_tokens(ADDED)
    return _PublishedTokenizer(json.loads(run.to_str()))


def foreign(make: Callable[[], Any], n_token: int | None = None) -> _PublishedTokenizer:
    return _PublishedTokenizer(json.loads(make().backend_tokenizer.to_str()), n_token=n_token)


MAKE: dict[str, Callable[[], Any]] = {
    "char": lambda: CharTokenizer.train(TEXT),
    "word": lambda: WordTokenizer.train(TEXT),
    "word_bytes": lambda: WordByteTokenizer.train("the cat sat"),
    "bpe": lambda: BPETokenizer.train(TEXT * 9, 300),
    "gaps": lambda: MaskedTextTokenizer(BPETokenizer.train(TEXT * 9, 300)),
    "spans": lambda: SentinelTokenizer(WordByteTokenizer.train("the cat sat"), 3),
    "tiktoken": tiktokens,
    "padded": lambda: VocabularyPaddedTokenizer(BPETokenizer.train(TEXT * 9, 300), 320),
    "byte-bpe with added tokens": with_added,
    "byte-bpe of a larger model": lambda: foreign(FAMILIES["byte-bpe"], 500),
    "lower-cased wordpiece": lambda: foreign(FAMILIES["wordpiece"]),
    "RoBERTa": lambda: foreign(FAMILIES["roberta"]),
    "Metaspace": lambda: foreign(FAMILIES["unigram"], 400),
    **{
        name: lambda make=make: _PublishedTokenizer(json.loads(json.dumps(make())))
        for name, make in tokenizers_today.FAMILIES.items()
    },
}


@cache
def tokenizer(name: str) -> Any:
    return MAKE[name]()


@pytest.mark.parametrize("name", MAKE)
@settings(max_examples=25)
@given(data=st.data())
def test_the_pieces_joined_are_the_whole(name: str, data: st.DataObject) -> None:
    """Any tokens in any order, so a text may begin, stop and end inside a character."""
    one = tokenizer(name)
    any_ids = st.lists(st.integers(0, one.vocab_size - 1), max_size=12)
    ids = data.draw(any_ids | st.text(st.sampled_from(TEXT + "".join(ADDED)), max_size=20).map(one.encode))
    n = data.draw(st.integers(0, len(ids)))
    whole, before = one.decode(ids), one.decode(ids[:n])
    pieces = list(stream_decoded_text(one, ids[n:], ids[:n]))
    assert "".join(pieces) == whole[len(before) :] == decode_continuation(one, ids[:n], ids[n:])
    assert all(pieces)


@pytest.mark.parametrize("name", MAKE)
def test_a_long_text_costs_no_more_for_each_token(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the last tokens are decoded again, and what is left behind changes nothing."""
    monkeypatch.setattr(incremental_decoding, "LONGEST", 8)
    monkeypatch.setattr(incremental_decoding, "KEPT", 4)
    one = tokenizer(name)
    ids = one.encode(TEXT * 9)
    told = StreamingDetokenizer(one)
    most, pieces = 0, []
    for token in ids:
        pieces.append(told.push(token))
        most = max(most, len(told._ids))
    assert "".join([*pieces, told.finish()]) == one.decode(ids)
    assert most < len(ids) / 2


def test_characters_come_as_soon_as_they_are_whole() -> None:
    one = BPETokenizer.train("abc abc", 257)
    ids = one.encode("a🙂é")
    told = StreamingDetokenizer(one)
    assert [told.push(token) for token in ids] == ["a", "", "", "", "🙂", "", "é"]
    assert [StreamingDetokenizer(one, ids).push(token) for token in one.encode("b")] == ["b"]


def test_added_tokens_keep_their_letters() -> None:
    """Also test characters that represent a byte elsewhere: é is the byte E9 there."""
    one = tokenizer("byte-bpe with added tokens")
    for text in (*ADDED, "café «end»", "日本語 ® Ġhi"):
        assert one.decode(one.encode(text)) == text
        assert "�" not in one.decode(one.encode(text))
    assert one.tokens(one.encode("«end»é")) == ["«end»", "é"]


@pytest.mark.parametrize("name", MAKE)
def test_ids_without_a_token_have_a_name_and_no_text(name: str, tmp_path: Path) -> None:
    one = tokenizer(name)
    padded = (
        one if name.endswith("larger model") or name == "padded" else VocabularyPaddedTokenizer(one, one.vocab_size + 3)
    )
    last = padded.vocab_size - 1
    ids = one.encode("the cat")
    assert padded.tokens([last]) == [f"⟨unused {last}⟩"] and padded.decode([last]) == ""
    assert padded.decode([*ids, last]) == one.decode(ids)
    with pytest.raises(ValueError, match=f"{last + 1} is outside"):
        padded.decode([last + 1])
