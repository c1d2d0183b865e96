"""The room of the block, driven without a browser: links, models of other kinds, depth and its guess."""

from functools import partial
from pathlib import Path

import pytest

from core.browser.message_packing import unpack_message
from core.rooms.block.compute import residual_stream
from core.ui.controls import browser_side_controls
from tests.pages.choices import sent
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "block.py")
page = partial(linked, PAGE, open="all")


def test_heads_cost_no_parameters() -> None:
    test = clean(page(param_of="Your own sizes").run())
    before = text_of(test)
    clean(test.button_group(key="param_heads").set_value(64).run())
    assert text_of(test).replace("H&nbsp;=&nbsp;64", "H&nbsp;=&nbsp;4") == before


def test_of_a_large_model_the_layer_and_token_that_are_chosen_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    record = residual_stream.record_block
    monkeypatch.setattr(residual_stream, "record_block", lambda *given: asked.append(given[-1]) or record(*given))
    monkeypatch.setattr(browser_side_controls, "_MAX_NUMBERS", 0)
    test = clean(page(way_layer="1", way_token="2", text="Tom had a kite.").run())
    assert asked == [1]
    assert unpack_message(sent(test, "strips"))[0]["arrays"]["values"].get("along") is None
