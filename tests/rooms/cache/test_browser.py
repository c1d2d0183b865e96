"""The room of the cache in a real browser: stepping by keys and buttons, a mistake by clicks, a phone."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, figure, too_wide


def test_stepping_through_the_tables_asks_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("cache")
    tables = figure(page, "Keys and values of layer")
    tables.scroll_into_view_if_needed()
    said, picture = tables.locator(".gf-said"), tables.locator(".gf-stage")
    page.wait_for_timeout(300)
    page.sent.clear()
    assert said.inner_text().startswith("Step 1 reads “·Mia”: 1 row new, 30 reused.")
    picture.focus()
    page.keyboard.press("Escape")
    assert said.inner_text().startswith("Step 0 reads the prompt: 30 rows new.")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert said.inner_text().startswith("Step 2 reads")
    assert "Step 2 reads" in picture.get_attribute("aria-label")
    tables.get_by_role("button", name="One step on").click()
    assert tables.locator("output").inner_text() == "step 3 of 15"
    page.keyboard.press("End")
    page.keyboard.press("Space")
    tables.get_by_role("slider", name="Step").fill("9")
    assert said.inner_text().startswith("Step 9 reads")
    tables.get_by_role("button", name="Table").click()
    assert tables.locator("tbody tr").count() == 39
    page.wait_for_timeout(400)
    assert page.sent == []


def test_a_mistake_is_made_and_undone(visit: Callable[..., Any]) -> None:
    page = visit("cache")
    broken = page.locator(".st-key-exhibit-break-it")
    broken.get_by_text(re.compile("The texts part at new token 2")).wait_for()
    broken.get_by_text("The prompt is edited, the cache is not", exact=True).first.click()
    broken.get_by_text(re.compile("The texts part at new token 1: “Ben” and “Mia”")).wait_for()
    address_has(page, "break_mistake=")
    broken.get_by_text("Every new token gets position 0", exact=True).first.click()
    broken.get_by_text("The shipped model with ALiBi", exact=True).first.click()
    broken.get_by_text(re.compile("this mistake does no harm here")).wait_for()


def test_nothing_is_wider_than_the_screen(visit: Callable[..., Any]) -> None:
    page = visit("cache", width=1024)
    for width in (1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert too_wide(page) <= 0
