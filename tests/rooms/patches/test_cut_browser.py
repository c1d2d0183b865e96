"""The room of patches in a real browser: a patch is followed through picture, strip and matrix."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import figure, settle, too_wide

TITLE = "8 × 8 pixels in patches of 2 × 2"


def test_a_patch_is_followed_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("patches")
    rows = figure(page, TITLE)
    rows.scroll_into_view_if_needed()
    readout, stages = rows.locator(".gf-patched"), rows.locator(".gf-stage")
    page.sent.clear()
    stages.nth(0).hover(position={"x": 100, "y": 70})  # of 256 pixels: line 2, column 3
    assert readout.inner_text().startswith("patch 5, in row 1, column 1 of the grid")
    in_picture = readout.inner_text()
    cell = "root => [...root.querySelectorAll('.gf-label.on')].map(one => one.textContent)"
    assert rows.evaluate(cell) == ["5", "0,1"]
    stages.nth(1).hover(position={"x": 20, "y": 20})
    assert readout.inner_text().startswith("patch 0, in row 0")
    stages.nth(0).hover(position={"x": 100, "y": 70})
    assert readout.inner_text() == in_picture
    buttons = rows.locator(".gf-steps button")
    buttons.nth(4).focus()
    page.keyboard.press("Enter")
    assert buttons.nth(4).get_attribute("aria-pressed") == "true"
    stages.nth(0).focus()
    said = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        said.append(rows.locator(".gf-live").inner_text())
    assert [one.split(",")[0] for one in said] == ["patch 0", "patch 1", "patch 5"]
    assert "row 6: " in said[2] and rows.evaluate(cell) == ["5"]  # the class token stands above all patches
    stages.nth(2).focus()
    page.keyboard.press("ArrowUp")
    assert "the class token, no patch of the picture" in readout.inner_text()
    rows.get_by_role("button", name="Table").click()
    assert rows.locator(".gf-table tbody tr").count() == 17
    page.wait_for_timeout(300)
    assert page.sent == []


def test_a_photograph_fits_a_phone(visit: Callable[..., Any]) -> None:
    page = visit("patches?cut_kind=A+photograph&shuffle_guess=Just+show+me", width=390, dark=True)
    rows = figure(page, "224 × 224 pixels in patches of 16 × 16")
    assert "of the 768 numbers of each row are drawn" in rows.inner_text()
    assert too_wide(page) <= 0
    wide = (
        "root => [...root.querySelectorAll('.gf-scroll')].filter(one => one.scrollWidth > one.clientWidth + 1).length"
    )
    assert rows.evaluate(wide) == 0
    rows.locator(".gf-steps button").nth(4).click()
    assert rows.evaluate(wide) == 0
    settle(page)
