"""Answers that the browser computes, in their rooms: the server hears of none; without the weights it answers."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.firefox import Firefox
from tests.browser.fixtures import counted
from tests.browser.rooms import exhibit, figure, settle, until
from tests.counts import in_turn


def switch_off(page: Any, part: Any) -> None:
    part.get_by_role("button", name="1.1", exact=True).click()


def press_a_bar(page: Any, part: Any) -> None:
    part.get_by_role("button", name="head 0.0").click()


def open_a_cell(page: Any, part: Any) -> None:
    figure(page, "Your mask").get_by_role("button", name="None", exact=True).click()


def hide_patches(page: Any, part: Any) -> None:
    part.get_by_role("button", name="at random", exact=True).click()


def be_bold(page: Any, part: Any) -> None:
    slider = page.get_by_role("slider", name="Temperature").last  # that in the picture
    slider.focus()
    slider.press("End")


def set_a_row(page: Any, part: Any) -> None:
    part.get_by_role("button", name="Only the first token").click()


# Room; exhibit, what somebody does, where it stands in the address, and what the answer says then.
Asked = tuple[str, Callable[..., None], str, str]
ROOMS: dict[str, list[Asked]] = {
    "heads?open=set-a-row": [
        ("switch-off", switch_off, "off=1.0&off=1.1", "3.6% now"),
        ("switch-off", press_a_bar, "off=0.0&off=1.0&off=1.1", "now; the likeliest is"),
        ("set-a-row", set_a_row, "row=1.0.29", "the likeliest is “Tom”, 100.0%"),
    ],
    "masks?open=": [("draw-your-own", open_a_cell, "drawn=2.14.0000", "14 rows read nothing")],
    "patches?open=": [("hide", hide_patches, "hide.gone=16.80c", "The model says 3, with 99.8%")],
    "next_token?open=": [("write", be_bold, "temperature=2.5", "Written with temperature 2.5")],
}


@pytest.mark.parametrize("room", in_turn(ROOMS, 8))
def test_the_browser_answers_and_asks_nobody(visit: Callable[..., Any], room: str) -> None:
    page = visit(f"{room}&depth=story")
    for name, do, address, answer in ROOMS[room]:
        part = exhibit(page, name)
        part.scroll_into_view_if_needed()
        settle(page)
        page.sent.clear()
        do(page, part)
        part.get_by_text(answer).first.wait_for()
        until(page, f"location.search.includes({address!r})")
        page.wait_for_timeout(300)  # what would be told is told after a rest
        assert page.sent == [], name


def test_without_the_weights_the_server_answers(browser: Any, url: str) -> None:
    page = counted(browser.new_context(viewport={"width": 1440, "height": 900}).new_page())
    page.route("**/weights/*", lambda route: route.abort())
    page.goto(f"{url}/heads?depth=story")
    settle(page)
    part = exhibit(page, "switch-off")
    part.scroll_into_view_if_needed()
    page.sent.clear()
    switch_off(page, part)
    part.get_by_text("3.6% now").first.wait_for()
    assert page.sent
    page.context.close()


def test_a_drawn_mask_is_computed_three_times(visit: Callable[..., Any]) -> None:
    page = visit("masks?depth=numbers")
    picture = figure(page, "head 3 under your mask")
    open_a_cell(page, None)
    figure(page, "Your mask").get_by_role("button", name="Causal", exact=True).click()
    picture.get_by_role("button", name="Where is this number from?").click()
    picture.get_by_role("button", name="Recompute").click()  # the server has heard of neither mask
    picture.get_by_text("Computed a third time, by this browser").wait_for()
    assert "drawn=2.14.8000c000" in page.url


def test_in_firefox_too(firefox: Firefox, url: str) -> None:
    firefox.open(f"{url}/heads?depth=story")
    exhibit = ".st-key-gf-exhibit-switch-off"
    button = f"[...document.querySelectorAll('{exhibit} .gf-choice button')].find(one => one.textContent === '1.1')"
    firefox.until(f"!!{button} && !!document.querySelector('{exhibit} .gf-sentence p')")
    firefox.evaluate(f"{button}.click()")
    firefox.until(f"document.querySelector('{exhibit} .gf-sentence').textContent.includes('3.6% now')")
