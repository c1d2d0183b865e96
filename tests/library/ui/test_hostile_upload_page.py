"""The window “Your own text” under hostile files and pastes: accepted or clearly refused, never a fault."""

import io
import random
import zipfile
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data import corpora

ENGLISH = "It was a quiet morning, and nobody knew what the day would bring. " * 20
GREEK = "Ήταν ένα ήσυχο πρωινό και κανείς δεν ήξερε. " * 30
CHINESE = "這是一個安靜的早晨，沒有人知道這一天會帶來什麼。" * 40
NOISE = random.Random(0).randbytes(5_000)


def _zip(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, ENGLISH)
    return buffer.getvalue()


# name of the file, its bytes, whether it is a text to learn from
FILES: list[tuple[str, bytes, bool]] = [
    ("plain.txt", ENGLISH.encode(), True),
    ("utf16.txt", ENGLISH.encode("utf-16"), True),
    ("damaged.txt", GREEK.encode()[:-1], True),
    ("../../etc/passwd", ENGLISH.encode(), True),
    ("<script>alert(1)</script>.txt", ENGLISH.encode(), True),
    ("![x](http://canary/y).txt", ENGLISH.encode(), True),
    ("empty.txt", b"", False),
    ("noise.txt", NOISE, False),
    ("letter.docx", _zip("word/document.xml"), False),
    ("odd utf16.txt", b"\xff\xfe" + ENGLISH.encode("utf-16-le")[:-1] + b"\xd8\xd8", False),
    ("too large.txt", b"a b " * 2_600_000, False),
]  # fmt: skip


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))

    def draw() -> None:
        import streamlit as st

        from core.ui.controls import own_text

        labels = own_text.text_choices()
        st.selectbox("Text", list(labels), key="corpus", format_func=labels.get)
        own_text._own_text_panel()

    return AppTest.from_function(draw, default_timeout=30).run()


def _outcome(page: AppTest, tmp_path: Path) -> bool:
    """Return whether the text was accepted. Checks that a message says so, and that no file is out of place."""
    assert not page.exception, [one.message for one in page.exception]
    said = [one.value for one in (*page.success, *page.error)]
    assert len(said) == 1, said
    assert "Traceback" not in said[0] and "Error" not in said[0]
    assert "<script>" not in said[0] and "![x](" not in said[0]
    taken = bool(page.success)
    assert page.selectbox(key="corpus").value.startswith("own-") == taken
    assert {path.parent.name for path in tmp_path.rglob("*.json")} <= {"texts"}
    return taken


@pytest.mark.parametrize(("name", "data", "is_text"), FILES, ids=[repr(file[0])[:40] for file in FILES])
def test_files(page: AppTest, tmp_path: Path, name: str, data: bytes, is_text: bool) -> None:
    page.file_uploader[0].set_value((name, data, "text/plain")).run()
    assert _outcome(page, tmp_path) == is_text
    if is_text:
        corpus = corpora.load(page.selectbox(key="corpus").value)
        assert len(corpus.text) >= corpora.MIN_CHARACTERS
        assert "\r" not in corpus.text
        assert len(corpus.title) <= corpora.MAX_TITLE and corpus.title.isprintable()


def test_a_pasted_text_is_taken_and_a_short_one_refused(page: AppTest, tmp_path: Path) -> None:
    for text in ("\0" * 1_000, "<img src=x onerror=alert(1)>" * 40):
        page.text_area[0].set_value(text)
        page.button(key="gf-own-use").click().run()
        assert _outcome(page, tmp_path) == (text[0] == "<")


def test_a_refused_file_leaves_the_choice_alone(page: AppTest) -> None:
    page.file_uploader[0].set_value(("a.txt", ENGLISH.encode(), "text/plain")).run()
    chosen = page.selectbox(key="corpus").value
    page.file_uploader[0].set_value(("b.pdf", b"%PDF-1.7", "application/pdf")).run()
    assert page.error and page.selectbox(key="corpus").value == chosen


def test_without_a_network_the_download_says_so(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise corpora.CorpusRefused("github.com could not be reached. Is there a network?")

    monkeypatch.setattr(corpora, "download_tiny_shakespeare", refuse)
    page.button(key="gf-own-download").click().run()
    assert not page.exception
    assert "Is there a network" in page.error[0].value
