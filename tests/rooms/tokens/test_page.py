"""The room of tokens, driven without a browser: any text, every text to learn from, clicks, public vocabularies."""

import base64
import hashlib
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.data import corpora, tokenizers
from core.data.tokenizers import tiktokens
from core.rooms.tokens import four_ways, pick_text
from core.rooms.tokens.inputs import EXAMPLE_TEXT
from tests.pages.choices import headers as every_header
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data", "no_public_vocabulary")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "attention" / "tokens.py"))


@pytest.fixture
def no_public_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache of tiktoken's, whatever this machine has, and no network."""

    def refuse(*_: object, **__: object) -> bytes:
        raise tiktokens.DownloadFailed("there is no network")

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktokens, "download_file", refuse)
    pick_text.available_vocabularies.clear()


def headers(test: AppTest) -> dict[str, dict[str, Any]]:
    """What was sent to each picture, by its label."""
    return {str(one["label"]): one for _, one in every_header(test) if "label" in one}


def test_a_link_to_a_text_of_ones_own_opens_with_it() -> None:
    key = corpora.store_user_text("My *own* text", "Once there was an owl. " * 40)
    test = clean(page(learned_from=f"My *own* text ({key})").run())
    assert test.selectbox(key="learned_from").value == key
    assert "**0.0%**" not in text_of(test)


def test_nothing_is_fetched_unasked_and_a_failure_is_told() -> None:
    test = clean(page(public="GPT-4 (cl100k)").run())
    assert "GPT-4 (cl100k) is not on this machine" in text_of(test)
    test.button(key="tokens-download").click().run()
    assert not test.exception
    assert "there is no network" in test.error[0].value
    clean(test.button_group(key="public").set_value("gpt2").run())


def test_a_public_vocabulary_that_is_here_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vocabulary of single bytes stands in for the real file."""
    content = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
    url = tiktokens.FILES["r50k_base"][0][0]
    files = {**tiktokens.FILES, "r50k_base": ((url, hashlib.sha256(content).hexdigest()),)}
    monkeypatch.setattr(tiktokens, "FILES", files)
    monkeypatch.setattr(tiktokens, "download_file", lambda *_, **__: content)
    monkeypatch.setattr(four_ways, "_public", lambda name: tokenizers.BPETokenizer([]))
    test = clean(page(public="GPT-3 (r50k)").run())
    clean(test.button(key="tokens-download").click().run())
    assert "is not on this machine" not in text_of(test)
    assert any(f"GPT-3 (r50k): {len(EXAMPLE_TEXT.encode())} tokens" in label for label in headers(test))
    assert (tmp_path / hashlib.sha1(url.encode()).hexdigest()).read_bytes() == content


def test_the_example_shows_two_rows_and_three_samples_and_takes_any_text() -> None:
    test = clean(page(open="all").run())
    words = text_of(test)
    assert "Now 0.63 with characters, **0.55** with your own tokens and 0.24 with the stories' tokens" in words
    assert "Your text makes 26 new tokens" in words and "it was at 0.2" in words
    assert len(test.code) == 3 and all(one.value.startswith("Mia had a") for one in test.code)
    assert headers(test)["Rows of red and blue"]["names"][-1] == "blue, step 300"
    test.selectbox(key="own_pair").set_value("he-she")
    assert "Rows of he and she" in headers(clean(test.run()))
    clean(test.text_input(key="own_beginning").set_value("🦎").run())
    assert all(one.value for one in test.code)
    for text, said in (
        ("", "The text is empty"),
        ("a", "The text of this training makes 26 new tokens"),
        ("🦎", "settings have changed"),
        ("語" * 2000, "only the last 1\\,000 are used"),
    ):
        test.text_area(key="own_text").set_value(text).run()
        assert not test.exception
        assert said in "\n".join([text_of(test), *(one.value for one in test.warning)])
