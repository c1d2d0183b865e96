"""Hostile pastes and uploads: each is accepted and usable, or clearly refused, within five seconds."""

import gzip
import io
import random
import struct
import zipfile
from pathlib import Path

import pytest

from core.data.corpora import KNOWN_FILES, CorpusRefused, load, store_user_text
from core.data.tokenizers import train_tokenizer
from tests.counts import at_most
from tests.library.data.test_picture_file import png

RANDOM = random.Random(0)
ENGLISH = "The quick brown fox jumps over the lazy dog, and the dog does not mind. " * 10


def zip_bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"0" * 20_000_000)
    return file.getvalue()


TAKEN: dict[str, bytes | str] = {
    "BOM and text": b"\xef\xbb\xbf" + ENGLISH.encode(),
    "lone surrogate": ENGLISH + "\ud800",
    "one NUL": ENGLISH + "\x00",
    "some invalid UTF-8": ENGLISH.encode() + b"\xff\xfe\xfa",
    "overlong UTF-8": ENGLISH.encode() + b"\xc0\xaf" * 3,
    "right-to-left override": "\u202e" + ENGLISH + "\u202d",
    "a thousand combining marks on one letter": "z" + "\u0301" * 1000,
    "ten megabytes in one line": "ab cd " * 1_600_000,
    "one word of ten million letters": b"a" * 9_999_999,
    "a million Chinese letters": "".join(map(chr, RANDOM.choices(range(0x4E00, 0x9FFF), k=1_000_000))),
    "only rare characters": "".join(chr(c) for c in range(0x10000, 0x10400)),
    "one letter only": "e" * 600,
    "SVG with a script": "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>" * 20,
    "Markdown with a remote image": "![x](http://canary.example/a.png) $\\frac{1}{0}$ [a](javascript:alert(1)) " * 20,
    "line and paragraph separators": "one\u2028two\u2029three\u0085four\x0bfive\x0c" * 30,
    "a million spaces and a text": " " * 1_000_000 + ENGLISH,
    "a million dashes": "-" * 1_000_000,
}
REFUSED: dict[str, bytes | str] = {
    "only lone surrogates": "\udfff" * 600,
    "nothing": "",
    "no bytes": b"",
    "one byte": b"a",
    "only a BOM": b"\xef\xbb\xbf",
    "only white space": " \t\r\n\u3000\u00a0" * 1000,
    "only invisible characters": "\u200b\u2060\ufeff\u202e" * 1000,
    "only NULs": b"\x00" * 10_000,
    "only control characters": "\x01\x02\x1b" * 1000,
    "too short": "Hello, world",
    "short but padded": " " * 5000 + "Hello, world" + "\n" * 5000,
    "random bytes": RANDOM.randbytes(100_000),
    "random bytes after a UTF-32 BOM": b"\xff\xfe\x00\x00" + RANDOM.randbytes(1000),
    "half a UTF-16 letter": ENGLISH.encode("utf-16") + b"\x00",
    "a picture of 256 million points": png(16_000, 16_000, 8, 0, n_row=1),
    "a picture that is also HTML": png(8, 8, 8, 0) + b"<script>alert(1)</script>" * 50,
    **{f"a file of {kind!r}": start + RANDOM.randbytes(2000) for start, kind in KNOWN_FILES},
    "a zip bomb": zip_bomb(),
    "a gzip bomb": gzip.compress(b"0" * 20_000_000),
    "a pickle": b"\x80\x04\x95" + RANDOM.randbytes(2000),
    "a safetensors file": struct.pack("<Q", 64) + b'{"a":{"dtype":"F32"}}' + b"\x00" * 2000,
    "Russian in an old encoding": ("Привет, мир. Как дела сегодня? " * 40).encode("cp1251"),
    "Japanese in an old encoding": ("これは日本語の文章です。" * 80).encode("shift_jis"),
    "two hundred and one megabytes": bytes(201_000_000),
    "eleven megabytes of three-byte letters": "漢" * 3_700_000,
    "terminal codes": "\x1b[31mred\x1b[0m\x07\x08" * 200,
}


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))


LARGE = {"ten megabytes in one line", "one word of ten million letters", "a million Chinese letters"}


@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.slow) if one in LARGE else one for one in TAKEN])
def test_strange_but_usable_texts_are_taken(name: str) -> None:
    with at_most(5.0):
        text = load(store_user_text(name, TAKEN[name])).text
        text.encode("utf-8")
        for kind in ("char", "word", "bpe"):
            tokenizer = train_tokenizer(kind, text, 300)
            ids = tokenizer.encode(text[:20_000])
            "".join(tokenizer.tokens(ids)).encode("utf-8")
            if kind == "bpe":
                assert tokenizer.decode(ids) == text[:20_000]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_text_is_refused_in_plain_words(name: str) -> None:
    with at_most(5.0), pytest.raises(CorpusRefused) as refused:
        store_user_text(name, REFUSED[name])
    words = str(refused.value)
    assert words[0].isupper() and words.rstrip(").").isprintable() and 25 < len(words) < 200
    assert "codec" not in words and "Error" not in words
