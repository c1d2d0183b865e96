"""The room of the cache in a real browser: stepping by keys and buttons, a mistake by clicks, a phone."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, figure


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


def test_each_step_of_writing_adds_a_row_to_both_sides_and_asks_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("cache")
    cells = exhibit(page, "tokens-computed").locator("figure.gf").first
    sentence, stage, readout = (cells.locator(name) for name in (".gf-sentence", ".gf-stage", ".gf-readout"))
    stage.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    assert "computes 45 instead of 600" in sentence.inner_text()
    assert readout.inner_text().startswith("For “bench” it reads 37 tokens")  # a row in the middle, as an example
    slider = cells.get_by_role("slider", name="Step")
    slider.fill("7")
    assert sentence.inner_text() == "After 8 new tokens: 268 computed without a cache, 37 with it."
    slider.fill("1")
    assert "it reads 31 tokens" in readout.inner_text()  # the newest
    slider.fill("0")
    assert sentence.inner_text().endswith("in both cases: 30 tokens.")
    slider.fill("15")
    stage.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert "it reads 31 tokens" in readout.inner_text()
    page.keyboard.press("Enter")
    page.mouse.click(5, 5)
    assert "it reads 31 tokens" in readout.inner_text()  # kept
    cells.get_by_role("button", name="Table").click()
    assert cells.locator("tbody tr").count() == 16
    page.wait_for_timeout(300)
    assert page.sent == []
