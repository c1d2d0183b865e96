"""The room of masks in a real browser: drawing by pointer and keyboard, hovering that asks nobody, links, a phone."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rooms import fits, settle


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


@pytest.fixture
def visit(visit: Callable[..., Any]) -> Callable[..., Any]:
    """`visit(query, width=, dark=) -> page` of this room, drawn."""

    def open_room(query: str = "", **how: Any) -> Any:
        page = visit(f"masks{query}", **how)
        return page

    return open_room


def editor(page: Any) -> Any:
    return page.locator("figure.gf", has=page.locator(".gf-title", has_text="Your mask, and what it lets through"))


def status(page: Any) -> str:
    return str(editor(page).locator(".gf-mask .gf-soft").first.inner_text())


def center(page: Any, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell of the editor, on the screen."""
    stage = editor(page).locator(".gf-stage").first
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    left, top, cell = find_cell(page, row, column)
    assert cell > 8
    return box["x"] + left, box["y"] + top


def find_cell(page: Any, row: int, column: int) -> tuple[float, float, float]:
    """Where a cell is, found as a person does: by its labels."""
    labels = editor(page).locator(".gf-stage").first.locator(".gf-label")
    stage = editor(page).locator(".gf-stage").first.bounding_box()
    n = labels.count() // 2
    first, second = (labels.nth(i).bounding_box() for i in (0, 1))
    cell = second["y"] - first["y"]
    top = first["y"] + first["height"] / 2 - stage["y"] + row * cell
    left = first["x"] + first["width"] - stage["x"] + 7 + (column + 0.5) * cell
    assert 0 <= row < n and 0 <= column < n
    return left, top, cell


def test_a_drag_opens_cells_and_the_link_keeps_them(visit: Callable[..., Any]) -> None:
    page = visit()
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
    page = visit()
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


def test_none_is_explained_and_reset_leads_back(visit: Callable[..., Any]) -> None:
    page = visit()
    editor(page).get_by_role("button", name="None").click()
    page.get_by_text("14 rows have nothing to read").wait_for()
    settle(page)
    assert "14 rows may read nothing" in status(page)
    editor(page).get_by_role("button", name="Reset").click()
    page.get_by_text("14 rows have nothing to read").wait_for(state="detached")
    assert status(page).startswith("39 of 196")


def test_pointing_tells_the_way_and_asks_nobody(visit: Callable[..., Any]) -> None:
    page = visit()
    x, y = center(page, 4, 1)
    page.sent.clear()
    page.mouse.move(x, y)
    told = editor(page).locator(".gf-readout").inner_text()
    assert "may not read" in told and "It arrives after 2 layers" in told and told.count("→") == 2
    layers = editor(page).get_by_role("slider", name="Number of layers")
    layers.evaluate("node => { node.value = 4; node.dispatchEvent(new Event('input')); }")
    assert "4 layers" in editor(page).inner_text()
    assert page.sent == []
    batch = page.locator("figure.gf", has=page.locator(".gf-title", has_text="One batch")).locator(".gf-stage")
    batch.scroll_into_view_if_needed()
    box = batch.bounding_box()
    for step in range(20):
        page.mouse.move(box["x"] + 60 + 15 * step, box["y"] + 40 + 5 * step)
    page.wait_for_timeout(300)
    assert page.sent == []


def test_the_batch_can_be_walked_by_keys(visit: Callable[..., Any]) -> None:
    page = visit()
    picture = page.locator("figure.gf", has=page.locator(".gf-title", has_text="One batch"))
    picture.locator(".gf-stage").focus()
    page.keyboard.press("ArrowRight")
    assert "text 1" in picture.locator(".gf-readout").inner_text()
    page.keyboard.press("ArrowRight")
    assert "comes later" in picture.locator(".gf-readout").inner_text()
    for _ in range(11):
        page.keyboard.press("ArrowDown")
    assert "text 2" in picture.locator(".gf-readout").inner_text()


def test_both_widgets_have_a_table_and_files(visit: Callable[..., Any]) -> None:
    page = visit()
    for title, words in (("Your mask, and what", "open, 1 layer"), ("One batch", "blocked: it is padding")):
        picture = page.locator("figure.gf", has=page.locator(".gf-title", has_text=title))
        for kind in ("SVG", "PNG"):
            with page.expect_download() as download:
                picture.get_by_role("button", name=kind).click()
            size = Path(download.value.path()).stat().st_size
            assert size > 5_000, f"{title} {kind}: {size} bytes"
        picture.get_by_role("button", name="Table").click()
        assert words in picture.locator(".gf-table").inner_text()
        picture.get_by_role("button", name="Picture").click()


def test_nothing_is_wider_than_the_screen(visit: Callable[..., Any]) -> None:
    page = visit(width=390)
    for _ in fits(page, 390, 1024):
        over = page.evaluate(
            """() => [...document.querySelectorAll('table, figure.gf, [data-testid=stMarkdown]')]
                .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
                .map((node) => node.innerText.slice(0, 60))"""
        )
        assert over == []
