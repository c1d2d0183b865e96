"""The room Patches in a real browser: heads, patches and mistakes are read and clicked."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, settle, sheet, too_wide, until

TITLE = "8 × 8 pixels in patches of 2 × 2"


def _at(picture: Any, x: float, y: float) -> None:
    """Click a place of a picture, given as shares of its width and height."""
    stage = picture.locator(".gf-stage")
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] * x, "y": box["height"] * y})


def test_a_click_opens_a_head_and_lets_a_patch_ask(visit: Callable[..., Any]) -> None:
    page = visit("patches?open=attention&depth=numbers")
    part = exhibit(page, "attention")
    _at(figure(page, "All heads: where the class token looks"), 0.95, 0.3)
    figure(page, "Layer 0, head 3: every token asks").wait_for()
    _at(figure(page, "Layer 0, head 3: the class token asks"), 0.9, 0.9)
    figure(page, "Layer 0, head 3: the patch in row 3, column 3 asks").wait_for()
    assert "the patch in row 3, column 3 looks most at" in part.inner_text()
    settle(page)
    page.sent.clear()
    stage = figure(page, "All heads").locator(".gf-stage")
    stage.hover()
    stage.press("ArrowRight")
    stage.press("PageDown")
    assert "attention weight" in figure(page, "All heads").locator(".gf-readout").inner_text()
    assert page.sent == []


def test_patches_go_and_come_back_on_a_phone(visit: Callable[..., Any]) -> None:
    page = visit("patches", width=390, dark=True)
    assert too_wide(page) <= 0
    part = exhibit(page, "hide")
    picture = part.locator("figure.gf", has=page.locator(".gf-sentence")).first
    assert "Without 3 squares the model says 1" in picture.inner_text()
    part.get_by_role("button", name="Show all").click()
    picture.get_by_text("It sees the whole picture and says 3").wait_for()
    _at(picture, 0.4, 0.4)  # row 1, column 1
    part.get_by_text("For the whole picture it said").wait_for()
    until(page, "new URLSearchParams(location.search).get('hide.gone') === '16.20'")
    _at(picture, 0.1, 0.1)
    until(page, "new URLSearchParams(location.search).get('hide.gone') === '16.21'")
    part.get_by_role("button", name="Undo").click()
    until(page, "new URLSearchParams(location.search).get('hide.gone') === '16.20'")
    picture.get_by_text("hidden: 1 of 16").wait_for()
    page.reload()
    settle(page)
    picture.get_by_text("hidden: 1 of 16").wait_for()
    assert too_wide(page) <= 0


def test_a_patch_is_followed_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("patches")
    rows = figure(page, TITLE)
    rows.scroll_into_view_if_needed()
    readout, stages = rows.locator(".gf-patched"), rows.locator(".gf-stage")
    page.sent.clear()
    stages.nth(0).hover(position={"x": 120, "y": 80})  # of 288 pixels: line 2, column 3
    assert readout.inner_text().startswith("patch 5, in row 1, column 1 of the grid")
    in_picture = readout.inner_text()
    cell = "root => [...root.querySelectorAll('.gf-label.on')].map(one => one.textContent)"
    assert rows.evaluate(cell) == ["5", "0,1"]
    stages.nth(1).hover(position={"x": 20, "y": 20})
    assert readout.inner_text().startswith("patch 0, in row 0")
    stages.nth(0).hover(position={"x": 120, "y": 80})
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


def test_mistakes_are_read_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("patches?depth=numbers", width=390)
    mistakes = figure(page, "Mistakes of the ViT")
    mistakes.scroll_into_view_if_needed()
    page.sent.clear()
    mistakes.get_by_role("img").first.focus()
    page.keyboard.press("ArrowRight")
    assert "a 3; the ViT says 9 with probability 0." in mistakes.inner_text()
    confusions = figure(page, "Confusions of the ViT")
    confusions.get_by_role("img").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert page.sent == []
    controls = sheet(page, "training", "Set")
    controls.get_by_text("More", exact=True).click()
    controls.get_by_role("radio", name="logistic regression").click()
    page.keyboard.press("Escape")
    figure(page, "Mistakes of the logistic regression").wait_for()
    settle(page)
    address_has(page, "train_who=logistic")
    assert too_wide(page) == 0
