"""Home, driven without a browser: alive without a click, whatever is typed, with or without a model."""

from pathlib import Path
from typing import Any

import pytest

from core.browser.message_packing import unpack_message
from core.data.sentences import OPENING
from core.inspect.model_inputs import model_key
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms import rooms
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
APP = str(ROOT / "app.py")  # links to other pages exist only inside the navigation


def test_it_lives_without_a_click_and_follows_the_sentence() -> None:
    test = clean(linked(APP).run())
    assert [one.proto.id for one in test.get("bidi_component") if "home.sheets" in one.proto.id]
    assert _told(test)["text"]["chosen$"] == "text"  # the browser fills it in
    assert _choice(test)["value"].startswith("Sam had")
    test = clean(linked(APP, text="Mia had a green hat").run())
    assert _choice(test)["value"] == "Mia had a green hat"
    assert _choice(clean(linked(APP, text="  ").run()))["value"].startswith("Sam had")


def test_the_first_picture_waits_for_no_weights() -> None:
    """The server's own pass comes with the page: a slow phone draws it half a minute before the weights are there."""
    (one,) = [one for one in linked(APP).run().get("bidi_component") if "home.sheets" in one.proto.id]
    header, arrays = unpack_message(one.proto.bytes)
    given = load_model_and_text(model_key.DEFAULT_MODEL, OPENING)
    assert header["sent"] == list(given.ids)
    n, (layers, heads) = given.n_token, given.attention.weights.shape[:2]
    assert arrays["weights"].shape == (layers, heads, n, n) and arrays["embed"].shape == (n, given.config.d_model)
    assert (arrays["logits"] == given.attention.logits).all()
    assert len(one.proto.bytes) < 60_000, "more than a second on a slow phone"


def _told(test: Any) -> dict[str, Any]:
    (one,) = [one for one in test.get("bidi_component") if "home.sheets" in one.proto.id]
    return unpack_message(one.proto.bytes)[0]


def _choice(test: Any) -> dict[str, Any]:
    (one,) = [one for one in test.get("bidi_component") if "gf-choice-text" in one.proto.id]
    told: dict[str, Any] = unpack_message(one.proto.bytes)[0]["choice"]
    return told


def test_every_room_has_a_page_a_sentence_and_two_pictures() -> None:
    for room in rooms()[1:]:
        assert (ROOT / room.page).exists() and room.card.endswith(".")
        pictures = [room.picture(mode) for mode in ("light", "dark")]
        assert all(picture is not None and b"<script" not in picture.read_bytes() for picture in pictures)


def test_without_any_model_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_key, "SHIPPED_MODELS", tmp_path)
    test = clean(linked(APP, text="A sentence that nobody has typed before").run())
    assert "no longer there" in text_of(test) and "train your own" in text_of(test)
