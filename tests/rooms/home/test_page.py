"""Home, driven without a browser: alive without a click, whatever is typed, with or without a model."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms import rooms
from core.ui.models import model_folders
from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
APP = str(ROOT / "app.py")


def opened() -> AppTest:
    # Through app.py: links to other pages exist only inside the navigation.
    return AppTest.from_file(APP, default_timeout=30).run()


def test_it_lives_without_a_click() -> None:
    test = clean(opened())
    pictures = [one for one in test.get("bidi_component") if "home." in one.proto.id]
    assert len(pictures) == 3  # tokens, map, next token
    assert "The model expects" in text_of(test)


def test_every_room_has_a_page_a_sentence_and_two_pictures() -> None:
    for room in rooms()[1:]:
        assert (ROOT / room.page).exists()
        assert room.card.endswith(".")
        for mode in ("light", "dark"):
            picture = room.picture(mode)
            assert picture is not None
            assert b"<script" not in picture.read_bytes()


def test_the_pictures_follow_the_sentence() -> None:
    test = opened()
    clean(test.text_input(key="text").set_value("Mia had a green hat").run())
    assert "The model expects" in text_of(test)
    clean(test.text_input(key="text").set_value("").run())
    assert "Type a word or two" in text_of(test)


def test_without_any_model_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_folders, "SHIPPED", tmp_path)
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "data"))
    test = clean(opened())
    assert "There is no model" in text_of(test)
