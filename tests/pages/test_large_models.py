"""Rooms with a model that counts as large: words while one waits, no endless lists, nothing measured unasked."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.model_inputs import model_and_text, model_and_text as models
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.embeddings import which_token
from core.ui.models.model_folders import shipped_model_folder
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a model that is small, while the limits are smaller still."""
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setattr(model_and_text, "_LARGE_MODEL_BYTES", 1)
    monkeypatch.setattr(which_token, "MAX_LISTED", 10)
    tiny_model.write(tmp_path / "models" / "large")
    return "large"


def page(name: str, **link: str) -> AppTest:
    return clean(linked(str(ROOT / "pages" / f"{name}.py"), **link).run())


def test_every_room_waits_in_words_and_shows_the_same(large: str) -> None:
    assert models.is_large_model(ModelKey.at(shipped_model_folder(large)))
    for name in ("attention/heads", "attention/block", "generate/next_token", "generate/strategies", "generate/beam"):
        assert page(name, model=large).selectbox(key="model").value == large


def test_a_drawn_mask_is_measured_when_asked(large: str) -> None:
    test = page("attention/masks", model=large)
    assert "Checked on the model" not in text_of(test)
    test.toggle(key="draw_measure").set_value(True)
    assert "Checked on the model" in text_of(clean(test.run()))


def test_a_token_of_a_large_vocabulary_is_typed(large: str) -> None:
    test = page("attention/embeddings", model=large)
    assert test.text_input(key="token").value == "·ball"
    for typed, told in (
        ("red", "This is the token ·red"),
        ("·red", ""),
        ("qqqq", "No token is spelled"),
        ("", "No tok"),
    ):
        test.text_input(key="token").set_value(typed)
        assert told in text_of(clean(test.run())).replace("\\", "")
    key = ModelKey.at(shipped_model_folder(large))
    assert (
        which_token.find_token(key, "red") == which_token.find_token(key, "·red") == which_token.label_ids(key)["·red"]
    )


def test_a_list_of_a_small_vocabulary_stays_a_list(large: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(which_token, "MAX_LISTED", 3_000)
    assert page("attention/embeddings", model=large).selectbox(key="token").value == "·ball"
