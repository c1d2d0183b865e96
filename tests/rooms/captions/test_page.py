"""The room of captions, driven without a browser: it opens with results, and the picture is changed in between."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")
PAGE = str(Path(__file__).resolve().parents[3] / "pages/images/captions.py")


def inside(**address: str) -> AppTest:
    script = "from core.rooms.captions import ROOM\nfor name in ('look', 'swap'):\n    ROOM.show(name)"
    test = AppTest.from_string(script, default_timeout=60)
    test.query_params.update(address)
    return clean(test.run())


def test_the_change_at_its_ends() -> None:
    test = inside()
    assert "ink **bold**: the second's" in text_of(test)
    clean(test.slider(key="swap_word").set_value(0).run())
    assert "Nothing was written before the change" in text_of(test) and "Digit **two**: the second's" in text_of(test)
    test.button_group(key="swap_keep").set_value("words")
    clean(test.slider(key="swap_word").set_value(8).run())
    assert "slant **right**: the first's" in text_of(test)
    clean(test.slider(key="swap_second_digit").set_value(79).run())
    assert "ink **thin**: the same in both" in text_of(test)


@pytest.mark.parametrize("symbols", ["0" * 64, "g" * 64, "0" * 28 + "g" + "0" * 35])
def test_any_drawing_gets_a_caption(symbols: str) -> None:
    told = text_of(inside(look_from="drawing", look_drawn=symbols, swap_first_from="drawing", swap_first_drawn=symbols))
    assert "It writes **“" in told and "Only you know which digit it is" in told
