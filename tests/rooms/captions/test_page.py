"""The room of captions: opens with results, each control to its ends, drawings, hostile links."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.rooms import clean, linked, text_of

PAGE = str(Path(__file__).resolve().parents[3] / "pages/images/captions.py")
INSIDE = """
from core.rooms.captions import ROOM
ROOM.show("look")
ROOM.show("swap")
"""


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))


def inside(**address: str) -> AppTest:
    test = AppTest.from_string(INSIDE, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return clean(test.run())


def test_the_room_opens_and_shows_its_film() -> None:
    test = clean(linked(PAGE).run())
    told = text_of(test)
    assert "captions are right in every word" in told and "A program that has a support vector machine" in told
    assert "It writes **“a seven" in told and "Second picture only" in told and "one vector: **" in told
    assert len(test.get("bidi_component")) == 3  # wrong captions, one film, and one of two pictures
    clean(test.button_group(key="caption_show").set_value("film").run())
    clean(test.slider(key="caption_look").set_value(1).run())


def test_the_change_goes_to_its_ends() -> None:
    test = inside()
    assert "ink **bold**: the second's" in text_of(test)
    clean(test.slider(key="swap_word").set_value(0).run())
    assert "Nothing was written before the change" in text_of(test) and "Digit **two**: the second's" in text_of(test)
    clean(test.button_group(key="swap_keep").set_value("words").run())
    clean(test.slider(key="swap_word").set_value(8).run())
    assert "slant **right**: the first's" in text_of(test)
    clean(test.slider(key="swap_second_digit").set_value(79).run())
    assert "ink **thin**: the same in both" in text_of(test)


@pytest.mark.parametrize("symbols", ["0" * 64, "g" * 64, "0" * 28 + "g" + "0" * 35])
def test_any_drawing_gets_a_caption(symbols: str) -> None:
    test = inside(look_from="drawing", look_drawn=symbols, swap_first_from="drawing", swap_first_drawn=symbols)
    told = text_of(test)
    assert "It writes **“" in told and "Only you know which digit it is" in told
