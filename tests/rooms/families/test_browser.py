"""The family table in a real browser: parts and maps answer by themselves, links lead to rooms, all fits on a phone."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, figure, fits, settle, until


def test_pointing_at_a_part_and_walking_by_keys_ask_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("table")
    plans = figure(page, "One block of each family")
    plans.scroll_into_view_if_needed()
    told = plans.locator(".gf-plan-text")
    page.sent.clear()
    plans.get_by_role("button", name="Encoder, Self-attention").hover()
    assert "9,408 parameters" in told.inner_text() and "before and after it" in told.inner_text()
    plans.get_by_role("button", name="Decoder, Norm").first.focus()
    seen = []
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        seen.append(told.inner_text())
    assert len(set(seen)) == 5
    assert "reads back only" in seen[0] and "reads everything" in seen[1] and "only here" in seen[4]
    assert "the encoder's last vectors" in seen[4]
    page.keyboard.press("Escape")
    assert "Point at a part" in told.inner_text()
    plans.get_by_role("button", name="Table").click()
    assert plans.locator("tbody tr").count() == 14
    cells = figure(page, "answer (rows) reads source")
    cells.scroll_into_view_if_needed()
    cells.get_by_role("img").first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_timeout(400)
    assert page.sent == []


def test_a_cell_opens_its_room_and_back_again(visit: Callable[..., Any]) -> None:
    page = visit("table")
    table = exhibit(page, "family-table")
    table.get_by_role("link", name="Sequence to sequence").click()
    page.get_by_role("heading", name="Sequence to sequence").first.wait_for()
    page.go_back()
    page.get_by_role("heading", name="The family table").first.wait_for()
    settle(page)
    assert figure(page, "One block of each family").is_visible()


def test_nothing_is_wider_than_its_card(visit: Callable[..., Any]) -> None:
    page = visit("table?same_guess=Just+show+me", width=390, dark=True)
    for _ in fits(page, 390, 1024):
        wide = """() => [...document.querySelectorAll(
                       '[class*="st-key-exhibit-"] table, [class*="st-key-room-family"] a')]
                     .filter(e => e.getBoundingClientRect().right > e.closest('[class*="st-key-exhibit-"]')
                     .getBoundingClientRect().right + 1).map(e => e.textContent.slice(0, 60))"""
        assert page.evaluate(wide) == []
        cut = """() => [...document.querySelectorAll('[class*="st-key-room-family"] a *')]
                    .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow === 'hidden')
                    .map(e => e.textContent)"""
        assert page.evaluate(cut) == []  # a room's name is never cut
        until(page, "!document.querySelector('[data-testid=\"stAlert\"]')")
