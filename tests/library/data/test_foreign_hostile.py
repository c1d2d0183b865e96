"""Files in the form of today's tokenizers that a stranger may have corrupted are refused with clear messages."""

import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex, pre_tokenizers

from core.data.tokenizers.published_tokenizer import _load_foreign
from core.data.tokenizers.tokenizer_json.pretokenizer_patterns import PATTERNS
from tests.counts import at_most
from tests.library.data.other_values import other_value
from tests.library.data.tokenizers_today import (
    FAMILIES,
    LLAMA_3,
    STRIP,
    TEXTS,
    by_bytes,
    letters,
    llama_2,
    metaspace,
    replace,
    sequence,
    split,
)


def nested(section: str, kind: str, n: int) -> dict[str, Any]:
    part: dict[str, Any] = {"type": kind}
    for _ in range(n):
        part = sequence(section, part)
    return part


def change(**parts: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update(parts)


def without(*pieces: str) -> Callable[[dict[str, Any]], None]:
    return lambda data: [data["model"]["vocab"].pop(piece) for piece in pieces] and None


def model(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["model"].update(values)


def normal(*parts: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    return change(normalizer=sequence("normalizers", *parts))


ARABIC = "\ufdfa"  # one letter, and eighteen when it is taken apart
MANY = [{"id": i, "content": f"<{i}>"} for i in range(10_001)]
UNIGRAM = {"type": "Unigram", "unk_id": 0}
HOSTILE: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "bytes without a token": (without("<0xE2>"), "no token <0xE2>"),
    "no bytes at all": (without(*(f"<0x{byte:02X}>" for byte in range(256))), "no token <0x00>"),
    "no tab": (without("<0x09>"), "no token <0x09>"),
    "neither bytes nor a way to spell them": (model(byte_fallback=False), "does not work on bytes"),
    "bytes perhaps": (model(byte_fallback="yes"), "byte_fallback is not supported"),
    "an unknown token that is none": (model(unk_token="<no>"), "unknown token is not"),
    "an unknown token that is a list": (model(unk_token=["<unk>"]), "unknown token is not"),
    "a slow expression to cut at": (change(pre_tokenizer=split(r"(\p{L}+)+$")), "regular expression of its own"),
    "one that is nearly known": (change(pre_tokenizer=split(LLAMA_3 + "|(a+)+$")), "of its own"),
    "one that is a list": (change(pre_tokenizer=split(["a"])), "of its own"),  # type: ignore[arg-type]
    "one in a sequence": (change(pre_tokenizer=sequence("pretokenizers", split("(a|a)*b"))), "of its own"),
    "one that is replaced": (normal({"type": "Replace", "pattern": {"Regex": r"(\s+)+$"}, "content": ""}),
                             "of its own"),
    "a known one that is replaced": (normal({"type": "Replace", "pattern": {"Regex": LLAMA_3}, "content": ""}),
                                     "of its own"),
    "one in the decoder": (change(decoder={"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""}),
                           "of its own"),
    "a cut at nothing": (change(pre_tokenizer={"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated",
                                               "invert": False}), "not allowed"),
    "an unknown behavior": (change(pre_tokenizer=split(LLAMA_3) | {"behavior": "Twice"}), "not allowed"),
    "a pattern where none is": (normal({"type": "NFC", "pattern": {"Regex": "a"}}), "not allowed"),
    "many added tokens": (change(added_tokens=MANY), "at most 10,000"),
    "long added tokens": (change(added_tokens=[{"id": i, "content": f"{i:0900}"} for i in range(600)]), "500,000 char"),
    "sequences a thousand deep": (change(normalizer=nested("normalizers", "NFC", 400)), "cannot be run|too deeply"),
    "cuts a thousand deep": (change(pre_tokenizer=nested("pretokenizers", "Whitespace", 450)),
                             "cannot be run|too deeply"),
    # Each doubles what isn't ASCII: thirty turn one letter into a thousand million.
    "bytes of bytes": (change(pre_tokenizer=sequence("pretokenizers", *[by_bytes(False, True, False)] * 15)),
                       "ByteLevel more than once"),
    "spaces before spaces": (change(pre_tokenizer=sequence("pretokenizers", *[metaspace("always", True)] * 9)),
                             "Metaspace more than once"),
    # A letter becomes eighteen, some of which become that letter again, and so on.
    "letters that are taken apart again and again": (normal(*[replace("\u0644", ARABIC), {"type": "NFKD"}] * 8),
                                                     "far too long"),
    "a long beginning": (normal({"type": "Prepend", "prepend": "a" * 21}), "not allowed"),
    "a strip of many": (change(decoder=STRIP | {"start": 10**6}), "not allowed"),
    "a strip of words": (change(decoder=STRIP | {"content": "ab"}), "not allowed"),
    "merges of no strings": (model(merges=[["a", 1]]), "isn't a pair"),
    "a merge of three": (model(merges=[["a", "b", "c"]]), "isn't a pair"),
    "long tokens in unigram": (change(model=UNIGRAM | {"vocab": [["<unk>", 0], ["a" * 101, 0]]}), "100 characters"),
    "beginnings without end": (change(model=UNIGRAM | {"vocab": [
        [f"{i:05}" + "漢" * 95, 0.0] for i in range(6_000)]}), "different beginnings"),
    "half a letter": (model(vocab=letters("<unk>")["vocab"] | {"\ud83d": 9_999}), "damaged"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_tokenizers_are_refused_in_plain_words(tmp_path: Path, name: str) -> None:
    spoil, words = HOSTILE[name]
    data = llama_2()
    data["model"]["vocab"] = dict(data["model"]["vocab"])
    spoil(data)
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=words) as refusal:
        _load_foreign(tmp_path)
    assert len(str(refusal.value)) < 300


def test_more_entries_than_memory_holds(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(b'{"added_tokens": [' + b"[]," * 2_500_000 + b"[]]}")
    with pytest.raises(ValueError, match="more than 4,000,000 entries"):
        _load_foreign(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes(b'{"version": ' + b"1" * 5_000 + b"}")
    with pytest.raises(ValueError, match="too long"):
        _load_foreign(tmp_path)


@pytest.mark.parametrize(
    "start_of_each",
    [b'"%d":%d,', b'{"%d":%d},', b'"%d" : [[%d]],'],
    ids=["names of one object", "objects", "names with lists"],
)
def test_a_file_is_refused_before_it_becomes_objects(tmp_path: Path, start_of_each: bytes) -> None:
    """Fault: millions of names are built, 620 MB of them, before they are counted."""
    inside = b"".join(start_of_each % (i, i) for i in range(1_200_000))
    brackets = b"[]" if start_of_each[:1] == b"{" else b"{}"
    (tmp_path / "tokenizer.json").write_bytes(b'{"model":' + brackets[:1] + inside[:-1] + brackets[1:] + b"}")
    tracemalloc.start()
    with pytest.raises(ValueError, match="more than 700,000 names"):
        _load_foreign(tmp_path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2 * len(inside)


@pytest.mark.parametrize("name", FAMILIES)
def test_changed_files_load_or_are_refused(tmp_path: Path, name: str) -> None:
    """With one value changed at random, it either works on any text or is refused with a clear message."""
    raw, dice, refused = json.dumps(FAMILIES[name]()).encode(), random.Random(name), 0
    for _ in range(30):
        (tmp_path / "tokenizer.json").write_bytes(other_value(raw, dice))
        try:
            one = _load_foreign(tmp_path)
            assert one is not None
            for text in TEXTS:
                ids = one.encode(text)
                one.decode(ids), one.tokens(ids)
        except ValueError:
            refused += 1
    assert 3 < refused < 30


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_the_allowed_expressions_take_their_time_and_no_more(pattern: str) -> None:
    """Twice the text takes no more than about twice the time, whatever letters it has."""
    cut = pre_tokenizers.Split(Regex(pattern), "isolated")
    for unit in (" ", "a", "A", "Aa", "\n", " \n", "'", "! ", "1", "漢", "ʰ", "ʰA", "a\u0301", "\t \r", "'S", "!/", "٣",
                 "A" * 999 + "!", " " * 999 + "x", "\U0001f642"):  # fmt: skip
        with at_most(2.0):  # it takes 0.03 s; a square of it would be minutes
            cut.pre_tokenize_str((unit * 20_000)[:20_000])
