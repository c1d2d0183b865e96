"""The number line in a real browser: played, clicked and walked without the server, and continued by one token."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, settle


def test_a_token_of_the_text_shows_its_line_and_asks_nobody(visit: Callable[..., Any]) -> None:
    page = visit("next_token")
    part = exhibit(page, "write")
    sentence = part.locator("figure .gf-sentence").first
    assert "“Mia” was most likely, but the random number picked “Anna”" in sentence.inner_text()
    page.sent.clear()
    part.locator(".text [data-step='1']").click()
    assert sentence.inner_text() == "“played” takes 99% of the line, so nearly any random number picks it."
    part.get_by_role("slider", name="Token", exact=True).press("Home")
    assert "Anna" in sentence.inner_text()
    part.locator(".gf-line").first.focus()
    page.keyboard.press("ArrowRight")
    assert part.locator(".gf-readout").first.inner_text() == "·Anna: 0.000 to 0.113, 11% wide"
    assert page.sent == []


def test_one_more_token_is_shown_at_once(visit: Callable[..., Any]) -> None:
    page = visit("next_token")
    page.get_by_role("button", name="One token").click()
    page.get_by_text("21 of 21").first.wait_for()
    settle(page)
    page.get_by_role("button", name="40 tokens").click()
    page.get_by_text("22 of 61").first.wait_for()
