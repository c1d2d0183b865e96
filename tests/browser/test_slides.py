"""Every exhibit as a slide: all of it is on the screen and can be read from the last row."""

import json
import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from core.rooms import rooms
from tests.browser.rooms import idle, still, styled, until
from tests.counts import count, in_turn, tally

ROOMS = [room.address for room in rooms() if room.exhibits]
SCRIPT = (Path(__file__).parent / "slides.js").read_text(encoding="utf-8")
EXHIBITS = '[data-testid=stMain] [class*="st-key-gf-exhibit-"]'
IS_ON = "document.documentElement.classList.contains('gf-present')"
SLIDES = [*product(ROOMS, [(1024, 768), (1440, 900), (1920, 1080)])]
WORDS = 23.5  # pixels: sentences, and titles of exhibits
LOW = 60  # pixels of a plot: what is lower shows no curve


def present(page: Any) -> int:
    """Wait until all slides stand; their number."""
    styled(page)
    page.locator(EXHIBITS).first.wait_for(state="attached")
    still(page)
    until(page, IS_ON)
    until(page, "/^1 of /.test(document.querySelector('.gf-present-bar span')?.textContent)")
    page.evaluate(f"{SCRIPT};0")
    return int(page.locator(EXHIBITS).count())


def faults(one: dict[str, Any]) -> dict[str, Any]:
    """What is wrong with a slide."""
    found = {what: one[what] for what in ("under", "cut", "beyond", "over") if one[what]}
    if one["words"] and one["words"][0] < WORDS * min(1, one["fit"] / 0.75):  # presenter.css
        found["words"] = one["words"]
    if one["plot"] is not None and one["plot"] < LOW:
        found["plot"] = one["plot"]
    return found


def measured(page: Any, at: int) -> dict[str, Any]:
    """The slide on the screen, once it has come to rest: what does not fit is made smaller, step by step."""
    for _ in range(10):
        still(page)
        idle(page)
        one: dict[str, Any] = page.evaluate("at => window.slide(at)", at)
        if not faults(one):
            break
        page.wait_for_timeout(400)
    return one


@pytest.mark.parametrize("slides", in_turn(SLIDES, 28), ids=str)
def test_every_slide_can_be_read_from_the_last_row(
    url: str, open_page: Callable[..., Any], slides: tuple[str, tuple[int, int]]
) -> None:
    """Catch what is cut, lies under the foot or over something else, is drawn too low or in small words."""
    room, (width, height) = slides
    page = open_page(f"{url}/{'' if room == 'home' else room}?depth=story&present=true", width=width)
    page.set_viewport_size({"width": width, "height": height})
    seen = []
    for at in range(present(page)):
        seen.append(measured(page, at))
        page.keyboard.press("PageDown")
    tally(f"slides of {room} at {width}", used=[one["used"] for one in seen], text=[one["least"] for one in seen])
    assert seen
    assert not {one["name"]: wrong for one in seen if (wrong := faults(one))}


def test_a_slide_stays_when_the_window_becomes_another(url: str, open_page: Callable[..., Any]) -> None:
    """Catch a slide that is lost when a projector is plugged in, the page is zoomed or the screen is turned."""
    page = open_page(f"{url}/block?depth=story&present=true", width=1024)
    n = present(page)
    for _ in range(n):  # folded exhibits open, one after the other
        page.keyboard.press("PageDown")
        still(page)
    draw = random.Random(46)
    for _ in range(count(4, 40)):
        at = draw.randrange(n)
        page.keyboard.press("Home")
        for _ in range(at):
            page.keyboard.press("PageDown")
        until(page, f"document.querySelector('.gf-present-bar span').textContent === '{at + 1} of {n}'")
        size = {"width": draw.randint(800, 1920), "height": draw.randint(600, 1920)}
        page.set_viewport_size(size)
        top = f"Math.abs(document.querySelectorAll({json.dumps(EXHIBITS)})[{at}].getBoundingClientRect().top) < 5"
        until(page, top)
        page.wait_for_timeout(700)  # the pictures are drawn anew, and the foot looks again
        assert page.evaluate(top), (at, size)
        assert page.locator(".gf-present-bar span").text_content() == f"{at + 1} of {n}", size


@pytest.mark.parametrize(("n_press", "is_on"), [(1, True), (2, False)])
def test_the_key_p_works_before_the_page_is_there(browser: Any, url: str, n_press: int, is_on: bool) -> None:
    """Catch a press that is swallowed while the app is still loading."""
    page = browser.new_page()
    held: list[Any] = []  # the server's first answers, which Streamlit waits for before it connects
    page.route("**/_stcore/**", lambda route: held.append(route))
    page.goto(f"{url}/block", wait_until="commit")
    page.locator("#gf-first").wait_for()
    for _ in range(n_press):
        page.keyboard.press("p")
    assert page.locator(".st-key-gf-tools").count() == 0, "the page was there already"
    page.route("**/_stcore/**", lambda route: route.continue_())
    for request in held:
        request.continue_()
    page.locator(".st-key-gf-tools .row button").first.wait_for(state="attached")
    assert page.evaluate(IS_ON) is is_on
    page.context.close()
