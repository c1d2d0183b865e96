"""Tokenizers: round trips, unknown pieces, ids out of range, printable tokens, saving, and no downloads."""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path

import pytest
import tiktoken.load
from hypothesis import given, settings, strategies as st

from core.data import download
from core.data.tokenizers import (
    BPETokenizer,
    CharTokenizer,
    TiktokenTokenizer,
    Tokenizer,
    TokenizerUnavailable,
    WordByteTokenizer,
    WordTokenizer,
    available_tiktoken,
    bpe,
    download_tiktoken,
    load,
    tiktokens,
    tokenizer_from_bytes,
    tokenizer_to_bytes,
    train_tokenizer,
)  # fmt: skip

TEXT = "The cat sat on the mat.\n\nDon't  worry, said the café cat; it's 1,024 o'clock.\n" * 4
KINDS = ("char", "word", "word_bytes", "bpe")


@cache
def trained(kind: str) -> Tokenizer:
    return train_tokenizer(kind, TEXT, 320 if kind == "bpe" else None)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(text=st.text() | st.text(alphabet=sorted(set(TEXT))))
def test_texts_come_back_and_tokens_can_be_drawn(kind: str, text: str) -> None:
    tokenizer = trained(kind)
    ids = tokenizer.encode(text)
    assert all(0 <= i < tokenizer.vocab_size for i in ids) and len(tokenizer.tokens(ids)) == len(ids)
    assert kind in ("char", "word") or tokenizer.decode(ids) == text
    assert kind != "char" or tokenizer.decode(ids) == "".join(c if c in TEXT else "�" for c in text)
    "".join(tokenizer.tokens(ids)).encode("utf-8")
    if text.strip("�"):  # a tokenizer that was trained on the text loses nothing of it
        own = train_tokenizer(kind, text, 300 if kind == "bpe" else None)
        assert own.decode(own.encode(text)) == text
        again = tokenizer_from_bytes(tokenizer_to_bytes(own))
        assert type(again) is type(own) and again.encode(text) == own.encode(text)
        assert again.vocab_size == own.vocab_size and again.kind == kind


def test_characters_are_nanogpts_and_words_keep_their_space() -> None:
    tokenizer = CharTokenizer.train("hello")
    assert tokenizer.vocabulary == ("e", "h", "l", "o", "�")
    assert tokenizer.encode("hello") == [1, 0, 2, 2, 3]
    words = WordTokenizer.train(TEXT)
    pieces = words.tokens(words.encode("The cat.\n\nDon't  worry"))
    assert pieces == ["The", " cat", ".", "\n", "\n", "Don't", " ", " worry"]


def test_unknown_pieces_become_one_visible_token() -> None:
    assert CharTokenizer.train("abc").decode(CharTokenizer.train("abc").encode("aXcY")) == "a�c�"
    words = WordTokenizer.train("the cat sat")
    assert words.tokens(words.encode("the dog sat")) == ["the", "<unknown>", " sat"]


def test_a_small_vocabulary_keeps_the_most_frequent() -> None:
    tokenizer = CharTokenizer.train("aaabbc", vocab_size=3)
    assert tokenizer.vocabulary == ("a", "b", "�")
    assert WordTokenizer.train(TEXT, 5).vocab_size == 5


@pytest.mark.parametrize("kind", KINDS)
def test_ids_out_of_range_are_told_and_lone_surrogates_become_the_unknown_sign(kind: str) -> None:
    tokenizer = train_tokenizer(kind, "cat " + TEXT + "😀")
    for bad in (-1, 10_000_000):
        for ask in (tokenizer.decode, tokenizer.tokens):
            with pytest.raises(ValueError, match=f"token id {bad} is outside .* 0 to {tokenizer.vocab_size - 1}"):
                ask([0, bad])
    assert tokenizer.decode(tokenizer.encode("cat\ud800")) == "cat�"
    assert tokenizer.decode(tokenizer.encode("cat\ud83d\ude00")) == "cat😀"  # a pair is a character
    "".join(tokenizer.tokens(tokenizer.encode("\udfff\x00\u202e"))).encode("utf-8")


def test_parts_of_characters_and_invisible_ones_are_drawn() -> None:
    tokenizer = BPETokenizer([])
    assert tokenizer.tokens(tokenizer.encode("é \n\x00")) == ["⟨C3⟩", "⟨A9⟩", " ", "\n", "⟨U+0000⟩"]
    half = BPETokenizer([(b"a", b"\xe2")])
    assert half.tokens([256]) == ["a⟨E2⟩"]
    assert tokenizer.decode([0xE2, 0x82]) == "�" and tokenizer.decode([0xE2, 0x82, 0xAC]) == "€"
    characters = CharTokenizer.train("a\u202e\u200d ")
    assert characters.tokens(characters.encode("a\u202e\u200d ")) == ["a", "⟨U+202E⟩", "⟨U+200D⟩", " "]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"not json", b"[]", b"[" * 100_000, b'{"kind": "char"}', {"version": 2}, {"kind": "pickle"},
        {"kind": "bpe"},
        *({"kind": "char", "vocabulary": words} for words in ("abc", ["a", "a", "�"], ["a", 3, "�"], [])),
        *({"kind": "word", "vocabulary": words} for words in (["a"], [str(i) for i in range(200_001)] + ["�"])),
        *({"kind": "bpe", "merges": merges} for merges in ([["61"]], [["61", "zz"]], [["6162", "63"]], [[1, 2]], 7)),
        {"kind": "tiktoken", "name": "../../x"}, {"kind": "tiktoken"},
        *({"kind": "word_bytes", "words": words} for words in (None, [], ["a", "a"], [1], "ab")),
    ],
)  # fmt: skip
def test_damaged_files_are_refused_in_plain_words(content: bytes | dict, tmp_path: Path) -> None:
    if isinstance(content, dict):
        content = json.dumps({"format": "glassformer-tokenizer", "version": 1, **content}).encode()
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"token|vocabulary|merge|words"):
        load(tmp_path)


def test_training_mistakes_are_reported() -> None:
    for kind, text, vocab_size, words in (
        ("char", "", None, "empty"), ("word", "", None, "empty"), ("bpe", "", None, "empty"),
        ("char", "a", 1, "vocab_size=1"), ("bpe", "a", 255, "vocab_size=255"), ("bpe", "a", 10**9, "65,536"),
        ("syllable", "a", None, "syllable"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            train_tokenizer(kind, text, vocab_size)


# tiktoken's vocabularies: a small one of our own stands in for a download.


@pytest.fixture
def small_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    content = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
    url = tiktokens.FILES["r50k_base"][0][0]
    monkeypatch.setattr(tiktokens, "FILES", {"r50k_base": ((url, hashlib.sha256(content).hexdigest()),)})
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    return content


def test_nothing_is_downloaded_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    for module, name in ((tiktoken.load, "read_file"), (download, "_open")):
        monkeypatch.setattr(module, name, lambda *_, **__: pytest.fail("the network was asked"))
    assert not any(available_tiktoken().values())
    with pytest.raises(TokenizerUnavailable, match="gpt2 is not on this machine"):
        TiktokenTokenizer("gpt2")
    name = hashlib.sha1(tiktokens.FILES["cl100k_base"][0][0].encode()).hexdigest()
    assert name == "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    (tmp_path / name).write_bytes(b"damaged")
    assert not available_tiktoken()["cl100k_base"]
    assert (tmp_path / name).exists()
    for ask in (TiktokenTokenizer, download_tiktoken):
        with pytest.raises(TokenizerUnavailable, match="known are gpt2"):
            ask("gpt9")


def test_download_puts_the_file_where_tiktoken_looks(
    small_vocabulary: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiktokens, "download_file", lambda *_, **__: small_vocabulary)
    download_tiktoken("r50k_base")
    assert available_tiktoken() == {"r50k_base": True}
    name = hashlib.sha1(tiktokens.FILES["r50k_base"][0][0].encode()).hexdigest()
    assert tiktoken.load.read_file_cached(tiktokens.FILES["r50k_base"][0][0]) == (tmp_path / name).read_bytes()


def test_the_wrapper_around_a_public_vocabulary(
    small_vocabulary: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoding = tiktoken.Encoding(
        "small",
        pat_str=bpe.PATTERN,
        mergeable_ranks={bytes([b]): b for b in range(256)},
        special_tokens={"<|endoftext|>": 260},
    )
    monkeypatch.setattr(tiktokens, "available_tiktoken", lambda: {"r50k_base": True})
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: encoding)
    tokenizer = TiktokenTokenizer("r50k_base")
    text = "<|endoftext|> é"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert max(tokenizer.encode(text)) < 256
    assert tokenizer.tokens([65, 258, 260]) == ["A", "⟨unused 258⟩", "<|endoftext|>"]
    with pytest.raises(ValueError, match="0 to 260"):
        tokenizer.decode([261])
    tokenizer.save(tmp_path)
    assert load(tmp_path).encode(text) == tokenizer.encode(text)


def test_known_words_keep_the_ids_that_the_words_alone_have() -> None:
    words, both = train_tokenizer("word", TEXT), train_tokenizer("word_bytes", TEXT)
    assert isinstance(both, WordByteTokenizer)
    assert both.encode(TEXT) == words.encode(TEXT) and both.vocab_size == words.vocab_size - 1 + 256
    assert both.tokens(both.encode("The zebra é")) == ["The", " ", "z", "e", "b", "r", "a", " ", "⟨C3⟩", "⟨A9⟩"]


def test_a_word_is_spelled_all_along_its_line_or_nowhere_in_it() -> None:
    tokenizer = train_tokenizer("word_bytes", TEXT)
    assert isinstance(tokenizer, WordByteTokenizer)
    line = "cat sat on the mat; the cat, the cat."
    for seed in range(20):
        ids = tokenizer.encode_spelled(f"{line}\n{line}\n", 0.3, seed)
        assert ids == tokenizer.encode_spelled(f"{line}\n{line}\n", 0.3, seed)
        assert tokenizer.decode(ids) == f"{line}\n{line}\n"
        first = ids[: ids.index(tokenizer.encode("\n")[0])]
        n_known = first.count(tokenizer.encode(" cat")[0])
        assert n_known in (0, 2)  # the first "cat" has no space before it: a word of its own
    assert tokenizer.encode_spelled(line, 0.0, 0) == tokenizer.encode(line)
