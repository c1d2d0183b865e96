"""The room of heads at work in a real browser: guesses, flips, film and knock-outs by real clicks."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, until

ALL = "switch_guess=Just+show+me&born_guess=Just+show+me&explain_guess=Just+show+me"


def test_a_guess_and_a_flip(visit: Callable[..., Any]) -> None:
    page = visit("work")
    switches = exhibit(page, "three-switches")
    switches.get_by_role("radio", name="about 50%").or_(switches.get_by_text("about 50%", exact=True)).first.click()
    switches.get_by_text(re.compile("You guessed: about 50%")).wait_for()
    switches.get_by_text(re.compile("the cup, with")).wait_for()
    switches.locator("button").filter(has_text=re.compile("^empty$")).first.click()
    switches.get_by_text(re.compile("the bottle, with")).wait_for()
    address_has(page, "switch_ending=empty")
    switches.get_by_text("causal mask on", exact=True).last.click()
    switches.get_by_text(re.compile("All rows of all heads are the same")).wait_for()


def test_film_and_hovering_ask_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit(f"work?{ALL}")
    film = figure(page, "Two layers: twelve random tokens")
    film.scroll_into_view_if_needed()
    assert film.get_by_text("What it writes at this step").is_hidden()  # these models write nothing
    page.sent.clear()
    stepper = film.get_by_role("slider", name="Training step")
    at_end = film.locator("output").inner_text()
    stepper.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert film.locator("output").inner_text() != at_end
    for title in ("All heads, until it was full", "Layer 0 of all three"):
        box = figure(page, title).bounding_box()
        for step in range(12):
            page.mouse.move(box["x"] + 80 + step * 12, box["y"] + 60 + step * 8)
    page.wait_for_timeout(500)
    assert page.sent == []


def test_a_head_is_switched_off_and_on(visit: Callable[..., Any]) -> None:
    from playwright.sync_api import expect

    page = visit(f"work?{ALL}")
    born = exhibit(page, "induction")
    value = born.locator('[data-testid="stMetricValue"]')
    before = value.inner_text()
    born.get_by_role("button", name="0.0", exact=True).click()
    page.wait_for_url(re.compile(r"born_off\.2=0\.0"))
    expect(value).not_to_have_text(before)
    assert float(value.inner_text().split()[0]) > 3 > float(before.split()[0])
    born.get_by_role("button", name="0.0", exact=True).click()
    until(page, "() => !location.search.includes('born_off')")
    expect(value).to_have_text(before)
