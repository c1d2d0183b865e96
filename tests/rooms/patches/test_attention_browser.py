"""The room Patches in a real browser: heads and patches are clicked, patches are taken away and come back."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, figure, settle, too_wide, until


def _at(picture: Any, x: float, y: float) -> None:
    """Click a place of a picture, given as shares of its width and height."""
    stage = picture.locator(".gf-stage")
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] * x, "y": box["height"] * y})


def test_a_click_opens_a_head_and_lets_a_patch_ask(visit: Callable[..., Any]) -> None:
    page = visit("patches")
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
    part, picture = exhibit(page, "hide"), figure(page, "Click patches away")
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
    figure(page, "Click patches away").get_by_text("hidden: 1 of 16").wait_for()
    assert too_wide(page) <= 0


def test_where_a_number_in_a_picture_is_from(visit: Callable[..., Any]) -> None:
    page = visit("patches")
    rollout = figure(page, "Rollout of the class token")
    rollout.scroll_into_view_if_needed()
    stage = rollout.locator(".gf-stage")
    stage.focus()
    for key in ("ArrowRight", "ArrowRight", "PageDown", "b"):
        page.keyboard.press(key)
    badge = rollout.locator(".gf-badge")
    told = badge.inner_text()
    assert "rollout[1, 0, 2] of 2 × 17 × 17" in told  # the layer, the class token, the second patch
    assert "@ so_far" in told and "seed 0" in told
    badge.get_by_role("button", name="Recompute").press("Enter")
    badge.get_by_text("Largest difference in all 578 numbers").wait_for()
    stage.focus()
    page.keyboard.press("ArrowLeft")
    assert "Difference here:" in badge.inner_text()
