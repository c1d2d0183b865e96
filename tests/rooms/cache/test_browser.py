"""The room of the cache in a real browser: stepping by keys and buttons, a mistake by clicks, a phone."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import figure


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
