"""A text and a model go along from room to room, and each room's address, copied, shows them to somebody else.

What this catches: a room that uses what was typed in the room before, while its address holds nothing of it.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from core.rooms import rooms
from tests.browser import moves
from tests.browser.rooms import address_has, click_through, settle, until
from tests.browser.test_address import differ

TEXT, MODEL = "Tom and Mia", "Little stories, the block that learns fastest (two minutes)"
FIELD = (
    ":is(textarea, input):is("
    + ", ".join(f'[aria-label="{name}"]' for name in ("Your text", "Text that this model reads", "Your own sentence"))
    + ")"
)
ROOMS = [room.address for room in rooms() if room.exhibits and room.section != "home"]


@pytest.mark.parametrize("room", [*ROOMS, ""])
def test_what_comes_along_stands_in_the_address_and_in_its_copy(visit: Callable[..., Any], room: str) -> None:
    start = "next_token" if room == "heads" else "heads"
    page = visit(f"{start}?{urlencode({'text': TEXT, 'model': MODEL})}")
    click_through(page, room)
    settle(page)
    until(page, f"location.pathname.endsWith('/{room}')")
    if page.locator(FIELD).count() and page.locator(FIELD).first.input_value() == TEXT:
        address_has(page, "text=Tom")
    address = page.evaluate("location.href").split("/", 3)[3]
    copy = visit(address if "?" in address else f"{address}?")
    assert differ(lambda: moves.shown(page), copy, moves.shown) == []


def test_a_text_typed_on_home_comes_along(visit: Callable[..., Any]) -> None:
    page = visit("")
    picture = page.locator("figure.gf").first
    picture.and_(page.locator("[data-text]")).wait_for()  # the model has come
    field = page.get_by_role("textbox", name="Your own sentence")
    field.fill("")
    field.press_sequentially(TEXT, delay=60)
    picture.and_(page.locator(f'[data-text="{TEXT}"]')).wait_for()
    for room in ("next_token", "model_map", "beam"):  # two that the server reads for, one that the browser does
        click_through(page, room)
        settle(page)
        address_has(page, f"/{room}", "text=Tom")
    click_through(page, "")
    address_has(page, "text=Tom")
    assert field.input_value() == TEXT
