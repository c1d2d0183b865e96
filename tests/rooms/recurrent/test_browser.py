"""The room of recurrent nets in a real browser: a click in the heat map, keys, hovering, a guess; a phone."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import figure, settle


def test_a_cell_is_taken_apart_and_hovering_asks_nothing(visit: Callable[..., Any]) -> None:
    page = visit("recurrent")
    states = figure(page, "State h of 12 of 48 units")
    states.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    box = states.bounding_box()
    for step in range(12):
        page.mouse.move(box["x"] + 120 + step * 20, box["y"] + 150 + step * 8)
    page.wait_for_timeout(400)
    assert page.sent == []
    grid = states.locator("[tabindex='0']").first
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("unroll_unit="))
    settle(page)
    shown = re.search(r"unroll_unit=(\d+)", page.url)
    assert shown is not None
    page.get_by_text(re.compile(f"Unit {shown[1]} reads")).wait_for()


def test_a_column_is_the_word_and_a_guess_uncovers_the_race(visit: Callable[..., Any]) -> None:
    page = visit("recurrent?open=all")
    back = figure(page, "Backward states b")
    back.scroll_into_view_if_needed()
    grid = back.locator("[tabindex='0']").first
    grid.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("both_word=3"))
    page.get_by_text(re.compile("4 of 30 backward states changed")).wait_for()
    page.get_by_text("the GRU alone", exact=True).first.click()
    page.get_by_text(re.compile("You guessed: the GRU alone. The answer: the GRU alone")).wait_for()
