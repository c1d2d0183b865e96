"""The room of many scales in a real browser: stages and windows are read, a click in a digit chooses its patch."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, address_has_no, exhibit, figure, settle


def test_stages_and_windows_are_read_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("scales")
    drawn = figure(page, "Swin-T, as published")
    drawn.scroll_into_view_if_needed()
    page.sent.clear()
    told = drawn.locator(".gf-readout")
    assert "56 × 56 = 3,136 tokens of 96 channels" in told.inner_text()
    stage = drawn.locator(".gf-stage")
    lowest = {"x": 3, "y": stage.bounding_box()["height"] - 3}
    stage.hover(position=lowest)
    assert "rows 49 to 55, columns 0 to 6: 7 × 7 = 49 tokens" in told.inner_text()
    shift = drawn.get_by_role("button", name="windows as they are")
    shift.click()
    stage.hover(position=lowest)
    assert "rows 52 to 55, columns 0 to 2: 4 × 3 = 12 tokens" in told.inner_text()
    stage.focus()
    page.keyboard.press("Escape")
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert "rows 3 to 9, columns 3 to 9" in told.inner_text()
    drawn.get_by_role("button", name="Stage 3").click()
    assert "7 × 7 = 49 tokens of 768 channels" in told.inner_text()
    assert drawn.get_by_role("button", name="One window: nothing to shift").is_disabled()
    stage.focus()
    page.keyboard.press("ArrowLeft")
    assert drawn.locator('.gf-model[aria-pressed="true"]').inner_text().startswith("Stage 2")
    stage.click(position={"x": 6, "y": 6})
    assert drawn.locator('.gf-model[aria-pressed="true"]').inner_text().startswith("Stage 0")
    drawn.get_by_role("button", name="Table").click()
    assert "301,056" in drawn.locator("tbody").inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []


def test_a_click_or_enter_in_a_digit_chooses_the_patch(visit: Callable[..., Any]) -> None:
    page = visit("scales")
    room = exhibit(page, "reach")
    digits = room.locator("figure.gf").first
    digits.scroll_into_view_if_needed()
    canvas = digits.get_by_role("img")
    page.sent.clear()
    canvas.hover(position={"x": 12, "y": 40})
    page.wait_for_timeout(200)
    assert page.sent == []
    canvas.click(position={"x": 12, "y": 30})
    room.get_by_text("4 → 16 → 16 → 144 → 144 → 256 of 256 pixels").wait_for()
    settle(page)
    address_has(page, "reach_row=0", "reach_column=0")
    room.get_by_text("never shifted", exact=True).first.click()
    room.get_by_text("4 → 16 → 16 → 64 → 64 → 256 of 256 pixels").wait_for()
    settle(page)
    canvas = room.locator("figure.gf").first.get_by_role("img")
    canvas.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(600)
    settle(page)
    address_has_no(page, "reach_column=0")
