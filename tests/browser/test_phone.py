"""On a phone: Set, Read and Try are tabs at the foot, and each opens a sheet over the lower half of the screen."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, settle, too_wide, until


def test_the_tabs_open_sheets_of_the_exhibit_on_the_screen(visit: Callable[..., Any]) -> None:
    page = visit("heads", width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    first, tabs = exhibit(page, "all-heads"), page.get_by_role("group", name="Of this exhibit")
    chosen = first.get_by_role("radio", name="Focus").first
    tabs.get_by_role("button", name="Set").wait_for()
    assert not chosen.is_visible()
    for one in tabs.get_by_role("button").all():
        box = one.bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44 and box["y"] + box["height"] <= 844
    tabs.get_by_role("button", name="Set").click()
    sheet = first.locator('[class*="st-key-gf-rail-"]').bounding_box()
    assert sheet["height"] <= 422 and sheet["x"] == 0 and sheet["y"] + sheet["height"] == 784
    assert first.locator(".gf-title").first.bounding_box()["y"] < sheet["y"]
    first.get_by_text("Focus", exact=True).click()
    settle(page)
    assert chosen.is_checked() and chosen.is_visible()  # the sheet stays open after what it asked the server
    page.keyboard.press("Escape")
    assert not chosen.is_visible()

    tabs.get_by_role("button", name="Try").click()
    first.get_by_text("Lower the threshold to 0.20.").first.click()
    settle(page)
    tabs.get_by_role("button", name="Read").click()
    first.get_by_text("Where to draw the line is our choice.").wait_for()
    tabs.get_by_role("button", name="Next").click()
    settle(page)
    assert abs(exhibit(page, "switch-off").bounding_box()["y"] - 52) < 12 and too_wide(page) <= 0
    page.set_viewport_size({"width": 1280, "height": 900})
    until(page, "!document.documentElement.classList.contains('gf-phone')")
    assert not tabs.is_visible() and chosen.is_visible()
