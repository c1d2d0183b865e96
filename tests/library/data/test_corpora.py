"""Corpora: the built-in texts, people's own texts in any common encoding, and downloads on request only."""

import hashlib
import io
import os
from pathlib import Path
from urllib.error import URLError

import pytest
from hypothesis import given, strategies as st

from core.data import corpora, download
from core.data.corpora import (
    Corpus,
    CorpusRefused,
    _decode_bytes,
    corpus_title,
    load,
    names,
    split_validation,
    store_user_text,
)

BUILTIN = ["python-topics", "python-library", "stories", "bottle-and-cup"]
LETTER = "Sehr geehrte Frau Müller, die Rechnung über 12 € liegt bei. Déjà vu! Grüße – Ihr Händler “Öl & Co”.\n" * 12


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", BUILTIN)
def test_built_in_texts(name: str) -> None:
    corpus = load(name)
    assert corpus.name == name
    assert corpus.title == corpus_title(name)
    assert len(corpus.text) > 250_000
    assert "\r" not in corpus.text
    assert corpus.source and corpus.licence in ("PSF-2.0", "MIT")
    assert load(name) == corpus and names() == BUILTIN
    if name == "python-library":
        assert 1_000_000 < len(corpus.text.encode()) <= 2_010_000 and corpus.text.count("\ndef ") > 500


@pytest.mark.parametrize(
    "name", ["", "nothing", "own-", "own-123456789abc", "own-../../../etc", "../stories", "own-" + "a" * 999]
)
def test_unknown_texts_are_reported(name: str) -> None:
    for ask in (load, corpus_title):
        with pytest.raises(CorpusRefused, match=r"no text named|not on this machine"):
            ask(name)


def test_own_text_is_kept_once(own_folder: Path) -> None:
    key = store_user_text("My letter", LETTER)
    mixed = store_user_text("t", "é\r\ne\u0301\rthree\n" * 60)  # composed and decomposed letters stay as they are
    assert load(mixed).text == "é\ne\u0301\nthree\n" * 60 and corpus_title(mixed) == "t"
    assert load(key) == Corpus(key, LETTER, "your own text", "yours, or that of its author")
    assert corpus_title(key) == "My letter"
    assert store_user_text("My letter", LETTER.encode()) == key
    assert store_user_text("My letter", LETTER.replace("\n", "\r\n")) == key
    assert len(os.listdir(own_folder / "texts")) == 2
    assert names() == BUILTIN


def test_titles_are_tidied() -> None:
    long = "x" * 900
    for given_title, shown in (("", "Your own text"), (" \n ", "Your own text"), ("a\n\nb\x00\u202e", "a b"),
                               (long, long[:60]), ("../a", "../a")):  # fmt: skip
        assert corpus_title(store_user_text(given_title, LETTER)) == shown


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_common_encodings(encoding: str) -> None:
    assert _decode_bytes(LETTER.encode(encoding)) == LETTER
    assert _decode_bytes("été à l'école\n".encode("latin-1") * 50) == "été à l'école\n" * 50
    assert _decode_bytes(b"\xfe\xff" + LETTER.encode("utf-16-be")) == LETTER


def test_a_damaged_place_does_not_spoil_utf_8() -> None:
    data = LETTER.encode("utf-8")
    cut = data.index("ü".encode()) + 1
    assert _decode_bytes(data[cut:]).endswith("“Öl & Co”.\n")
    assert _decode_bytes(data[:-200] + b"\xff" + data[-200:]).count("�") == 1


@given(st.text(min_size=1))
def test_utf_8_always_comes_back(text: str) -> None:
    data = text.encode("utf-8")
    try:
        assert _decode_bytes(data).lstrip("\ufeff") == text.lstrip("\ufeff") or b"\x00" in data
    except CorpusRefused as refused:
        assert len(str(refused)) > 20  # noqa: PT017


def test_messages_on_size_give_the_size_and_the_limit() -> None:
    for text, words in (
        ("a" * 499, "499 characters, and at least 500"),
        (b"a" * 10_500_000, r"10\.5 MB; at most 10 MB"),
        ("漢" * 4_000_000, "12 MB; at most 10 MB"),
    ):
        with pytest.raises(CorpusRefused, match=words):
            store_user_text("t", text)
    store_user_text("t", "ab" * 250)


def test_a_full_store_and_a_full_disk_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def disk_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(corpora, "MAX_OWN_BYTES", 2000)
    key = store_user_text("t", LETTER[:900])
    with pytest.raises(CorpusRefused, match="would take more than 2 kB"):
        store_user_text("t", LETTER)
    assert load(key).text == LETTER[:900]
    monkeypatch.setattr(corpora, "MAX_OWN_BYTES", 10**9)
    monkeypatch.setattr(corpora, "write_atomic", disk_full)
    with pytest.raises(CorpusRefused, match="No space left"):
        store_user_text("t", LETTER)


def test_split_keeps_the_end_for_checking() -> None:
    assert split_validation("0123456789") == ("012345678", "9")
    assert split_validation([1, 2, 3, 4], 0.5) == ([1, 2], [3, 4])
    train, val = split_validation(range(1_115_394))
    assert (len(train), len(val)) == (1_003_855, 111_539)


# Downloads: a stand-in answers instead of the network.


class Answer(io.BytesIO):
    """A server's response, which may break off."""

    def __init__(self, content: bytes, error: Exception | None = None) -> None:
        super().__init__(content)
        self.error = error

    def read(self, n: int | None = None) -> bytes:
        if self.error:
            raise self.error
        return super().read(n)


def test_tiny_shakespeare_appears_after_its_download(monkeypatch: pytest.MonkeyPatch) -> None:
    play = b"First Citizen:\nBefore we proceed any further, hear me speak.\n" * 900
    monkeypatch.setattr(corpora, "SHAKESPEARE_SHA256", hashlib.sha256(play).hexdigest())
    asked = []
    monkeypatch.setattr(download, "_open", lambda url, seconds: asked.append((url, seconds)) or Answer(play))
    with pytest.raises(CorpusRefused, match="downloaded first"):
        load("tiny-shakespeare")
    corpora.download_tiny_shakespeare()
    assert asked == [(corpora.SHAKESPEARE_URL, 10.0)]
    assert corpora.SHAKESPEARE_URL.startswith("https://raw.githubusercontent.com/karpathy/char-rnn/")
    assert names() == [*BUILTIN, "tiny-shakespeare"]
    assert load("tiny-shakespeare").text == play.decode()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(b"<html>log in first</html>"), "another file than expected"),
        (Answer(b"x" * 2_000_000), "more than the 1,115,394 bytes"),
        (Answer(b"", TimeoutError("timed out")), "timed out"),
        (Answer(b"", URLError("Name or service not known")), "Is there a network"),
    ],
)
def test_failed_downloads_are_reported_and_leave_no_file(
    answer: Answer, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_open", lambda *_: answer)
    with pytest.raises(CorpusRefused, match=words):
        corpora.download_tiny_shakespeare()
    assert names() == BUILTIN


def test_a_slow_download_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(100))
    monkeypatch.setattr(download.time, "monotonic", lambda: next(now) * 4)
    monkeypatch.setattr(download, "_open", lambda *_: Answer(b"x" * 1_000_000))
    with pytest.raises(CorpusRefused, match="too slow"):
        corpora.download_tiny_shakespeare()
