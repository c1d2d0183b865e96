"""The film of rounds in a real browser: stepping and pointing ask the server nothing."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, still


def test_stepping_and_pointing_ask_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("draft_and_verify")
    page.get_by_text("Just show me").first.click()
    page.get_by_text("passes of the large model instead").wait_for()
    still(page)
    film = exhibit(page, "rounds").locator("figure.gf")
    film.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    why = film.locator(".gf-readout")
    tokens = film.get_by_role("toolbar").get_by_role("button")
    film.get_by_role("slider", name="Pass").fill("1")
    assert film.locator("output").inner_text() == "check 1 of 19"
    tokens.first.focus()
    assert "“·Zoe”" in why.inner_text() and "is refused" in why.inner_text()
    page.keyboard.press("ArrowRight")
    assert "nobody looks at it" in why.inner_text()
    film.get_by_role("button", name="One moment on").click()
    assert film.locator("output").inner_text() == "guess 2 of 19"
    assert tokens.count() == 5 + 4  # the large model adds its token when it has checked
    film.get_by_role("button", name="One moment on").click()
    assert tokens.count() == 5 + 5
    film.get_by_role("button", name="Table").click()
    assert film.locator("tbody tr").count() == 10
    assert page.sent == []
