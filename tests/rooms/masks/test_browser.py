"""The room of masks in a real browser: drawing by pointer and keyboard, hovering that asks nobody, links."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import figure, settle


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


def editor(page: Any) -> Any:
    return figure(page, "Your mask, and what it lets through")


def status(page: Any) -> str:
    return str(editor(page).locator(".gf-mask .gf-soft").first.inner_text())


def center(page: Any, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell of the editor on the screen, found as a person does: by its labels."""
    stage = editor(page).locator(".gf-stage").first
    stage.scroll_into_view_if_needed()
    first, second = (stage.locator(".gf-label").nth(i).bounding_box() for i in (0, 1))
    cell = second["y"] - first["y"]
    assert cell > 8
    return first["x"] + first["width"] + 7 + (column + 0.5) * cell, first["y"] + first["height"] / 2 + row * cell


def test_a_drag_opens_cells_and_the_link_keeps_them(visit: Callable[..., Any]) -> None:
    page = visit("masks")
    assert status(page).startswith("39 of 196 cells are open")
    page.mouse.move(*center(page, 2, 6))
    page.mouse.down()
    page.mouse.move(*center(page, 2, 9))  # a fast pointer skips no cell
    page.sent.clear()
    page.mouse.move(*center(page, 2, 10))
    assert status(page).startswith("44 of 196")
    assert page.sent == [], "a stroke is the browser's own matter"
    page.mouse.up()
    page.wait_for_url(re.compile("drawn=2.14."))
    settle(page)
    assert page.get_by_text("196 of 196 pairs agree").is_visible()
    page.reload()
    settle(page)
    assert status(page).startswith("44 of 196")
    assert editor(page).get_by_role("button", name="Undo").is_disabled()


def test_keys_draw_undo_and_redo(visit: Callable[..., Any]) -> None:
    page = visit("masks")
    editor(page).locator(".gf-stage").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Space"):
        page.keyboard.press(key)
    assert status(page).startswith("40 of 196")
    page.wait_for_url(re.compile("drawn="))
    page.keyboard.press("Control+z")
    assert status(page).startswith("39 of 196")
    page.keyboard.press("Control+Shift+z")
    assert status(page).startswith("40 of 196")
    settle(page)
    assert status(page).startswith("40 of 196"), "the server's answers undo nothing"
    editor(page).get_by_role("button", name="None").click()
    page.get_by_text("14 rows read nothing").wait_for()
    settle(page)
    assert "14 rows may read nothing" in status(page)
    editor(page).get_by_role("button", name="Reset").click()
    page.get_by_text("14 rows read nothing").wait_for(state="detached")
    assert status(page).startswith("39 of 196")


def test_pointing_and_walking_by_keys_tell_the_way_and_ask_nobody(visit: Callable[..., Any]) -> None:
    page = visit("masks?open=padding-against-causal")
    x, y = center(page, 4, 1)
    page.sent.clear()
    page.mouse.move(x, y)
    told = editor(page).locator(".gf-readout").inner_text()
    assert "may not read" in told and "It arrives after 2 layers" in told and told.count("→") == 2
    layers = editor(page).get_by_role("slider", name="Number of layers")
    layers.evaluate("node => { node.value = 4; node.dispatchEvent(new Event('input')); }")
    assert "4 layers" in editor(page).inner_text()
    assert page.sent == []
    batch = figure(page, "One batch")
    batch.locator(".gf-stage").focus()
    for key, times, told in (("Right", 1, "text 1"), ("Right", 12, "comes later"), ("Down", 11, "text 2")):
        for _ in range(times):
            page.keyboard.press(f"Arrow{key}")
        assert told in batch.locator(".gf-readout").inner_text()
    assert page.sent == []


def test_a_letter_of_the_first_picture_says_what_it_reads_and_asks_nobody(visit: Callable[..., Any]) -> None:
    page = visit("masks")
    part = page.locator(".gf-peek")
    masked, unmasked = (part.locator(f"[data-side='{side}']") for side in ("masked", "unmasked"))
    assert part.locator(".gf-key-number").all_inner_texts() == ["1.53", "?"]
    page.sent.clear()
    part.locator(".gf-peek-line[data-i='2']").first.click()
    assert masked.inner_text().startswith("s reads ·, the letter before")
    assert unmasked.inner_text().startswith("s reads t, the letter after")
    page.keyboard.press("ArrowDown")
    assert masked.inner_text().startswith("t reads ") and unmasked.inner_text().startswith("t reads a")
    assert page.sent == []
