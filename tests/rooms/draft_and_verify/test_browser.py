"""The film of rounds in a real browser: stepping and pointing ask the server nothing."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import figure, still


def test_stepping_and_pointing_ask_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("draft_and_verify")
    page.get_by_text("Just show me").first.click()
    page.get_by_text("passes of the large model instead").wait_for()
    still(page)
    film = figure(page, "verified by the stories model")
    film.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    why = film.locator(".gf-why")
    film.get_by_role("slider", name="Round").fill("0")
    assert film.locator("output").inner_text().startswith("round 1 of")
    assert "“Zoe”" in why.inner_text().replace("·", "") and "is refused" in why.inner_text()
    film.get_by_role("toolbar").locator("[aria-pressed=true]").focus()
    page.keyboard.press("ArrowRight")
    assert "nobody looks at it" in why.inner_text()
    film.get_by_role("button", name="One round on").click()
    assert film.locator("output").inner_text().startswith("round 2 of")
    film.get_by_role("button", name="Table").click()
    assert film.locator("tbody tr").count() == 10
    assert page.sent == []
