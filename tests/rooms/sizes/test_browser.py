"""The room of sizes in a real browser: zooming, keys and clicks stay there."""

import time
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit
from tests.chromium import LONGEST_WAIT


def test_zooming_asks_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("sizes")
    squares = exhibit(page, "scale").locator("figure.gf")
    squares.scroll_into_view_if_needed()
    page.sent.clear()
    zoom = squares.get_by_role("slider", name="Zoom, by factors")
    assert zoom.input_value() == "1000"
    squares.get_by_role("button", name="GPT-2 XL").click()
    squares.get_by_role("button", name="GPT-3 175B").click()
    assert "yours fits 545,529 times" in squares.locator(".gf-said").inner_text()
    comes_to(zoom, "1000")
    page.keyboard.press("ArrowUp")
    assert squares.locator('[aria-pressed="true"]').first.inner_text().startswith("T5 11B")
    page.keyboard.press("Home")
    assert "320,064" in squares.locator(".gf-said").inner_text()
    comes_to(zoom, "0")
    zoom.focus()
    page.keyboard.press("End")
    assert "175 billion" in squares.locator(".gf-said").inner_text()
    squares.get_by_role("button", name="Table").click()
    assert "174,604,259,328" in squares.locator("tbody").inner_text()
    page.wait_for_timeout(400)
    assert page.sent == []


def comes_to(zoom: Any, value: str) -> None:
    """Wait until the animated zoom stands there."""
    end = time.monotonic() + LONGEST_WAIT
    while zoom.input_value() != value:
        assert time.monotonic() < end, f"the zoom stands at {zoom.input_value()} and not at {value}"
        zoom.page.wait_for_timeout(100)
