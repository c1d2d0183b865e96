"""A walk through the house as people take it: from Home, by clicks, never by typed addresses.

After each click the page is the one that was asked for; it stays so when a control is moved; and its address alone, in
a browser of its own, shows the same again. (What axe-core finds in a room, `test_accessibility.py` asks.)
"""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from core.lessons.format import catalog
from core.lessons.room_links import tour_rooms
from tests.browser.rooms import click_through, follow, said_by_pictures, still, until
from tests.counts import count, in_turn, rest_is_full, tree_number
from tests.pages.test_story import SYMBOL

LESSONS = catalog.catalog_lessons()
NO_PANEL = "[data-testid=stElementContainer]:not([class*=st-key-gf-panel-])"  # which panel is open is nobody's state
# In a picture a number may be written with a power of ten, but a loss has no unit, and only probabilities are told.
IN_PICTURES = re.compile(rf"{SYMBOL.pattern}|\bnats?\b|\blogits?\b|\bln\b|\be\^|\bexp\(|−∞")
POWER_OF_TEN = re.compile("10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
# What a page shows: its headings, how far a lesson has come, and where every control stands.
SEEN = """() => {
  const all = (query, read) => [...document.querySelectorAll(`[data-testid=stMain] ${query}`)].map(read);
  return JSON.stringify({
    headings: all('h1, h2, h3, [data-testid=stProgress] p', e => e.textContent.trim()),
    values: all('[data-testid=stSlider] input, textarea, [data-testid=stSelectbox] input', e => e.value),
    chosen: all('[aria-checked=true], [aria-pressed=true]',
      e => e.closest('[class*=st-key-gf-panel-]') ? '' : e.textContent.trim()),
  });
}"""


# Whether an element's first letters are what the pointer finds there: nothing cuts them off or lies over them.
ON_TOP = """e => {
  const { left, top, width, height } = e.getBoundingClientRect();
  const hit = e.getRootNode().elementFromPoint(left + Math.min(width / 2, 20), top + Math.min(height / 2, 18));
  return !!hit && (e === hit || e.contains(hit));
}"""


def move_a_control(page: Any) -> bool:
    """Move the first control of the page that a person would meet; False if there is none."""
    main = page.locator("[data-testid=stMain]")
    choice = main.locator(f"{NO_PANEL} [data-testid=stButtonGroup] button[aria-checked=false]:not(:disabled)").first
    handle = main.locator("[data-testid=stSlider] input").first
    if handle.count():
        handle.press("ArrowLeft" if handle.input_value() == handle.get_attribute("max") else "ArrowRight")
    elif choice.count():
        choice.click()
    else:
        return False
    still(page)
    return True


def is_restored(page: Any, open_page: Callable[..., Any]) -> bool:
    """Whether the page's address shows the same to somebody who has never been here."""
    other = open_page(page.url)
    other.locator("h1").first.wait_for()
    still(other)
    shown = json.dumps(page.evaluate(SEEN))
    until(other, f"({SEEN})() === {shown}")  # a label may come a moment after its bar
    other.context.close()
    return True


def symbols(page: Any) -> list[str]:
    """What pictures say at the depth Story that is no plain word."""
    said = said_by_pictures(page)
    assert said, "no picture is drawn"
    return [text for text in said if IN_PICTURES.search(POWER_OF_TEN.sub("", text))]


def heading(page: Any, text: str) -> None:
    """Wait until the page is called so."""
    page.get_by_role("heading", level=1, name=text, exact=True).wait_for()
    still(page)


def test_every_room_by_the_sidebar_and_by_the_way_on(url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{url}/?depth=story")
    still(page)
    found = {"Home": symbols(page)}
    sidebar = page.locator(".st-key-gf-navigation")
    following = {room.title: after.title for room, after in list(pairwise(tour_rooms()))[:: count(2, 1)]}
    names = [text.strip() for text in sidebar.locator("a p").all_text_contents()]
    assert len(names) >= 31 and set(following) <= set(names)
    rooms = names[:0:-1]  # backwards, so that the way on never leads to where the sidebar leads next
    parts, went_back = count(5, 1), False  # in one change these rooms, in the next others
    for name in rooms[tree_number() % parts :: parts]:
        follow(sidebar, name)
        until(page, f"document.querySelector('.st-key-gf-here')?.innerText.includes({name!r})")
        still(page)
        if page.locator("figure.gf").count():
            found[name] = symbols(page)
        path, title = page.url.partition("?")[0], page.locator("h1").inner_text()
        if move_a_control(page):
            assert page.locator("h1").inner_text() == title and page.url.partition("?")[0] == path
        if name in following:
            page.locator(".st-key-gf-onward").get_by_role("link", name=re.compile("^Next room")).click()
            page.get_by_role("heading", level=1, name=following[name], exact=True).wait_for()
            if not went_back:
                page.go_back()
                heading(page, name)
                went_back = True
    assert went_back and len(found) > 25 / parts
    assert not {name: what for name, what in found.items() if what}


@pytest.mark.parametrize("width", [1440, *rest_is_full(390, 1024)])
def test_one_sees_what_one_types_and_can_press_what_stands_above(
    url: str, open_page: Callable[..., Any], width: int
) -> None:
    page = open_page(url, width=width)
    click_through(page, "heads")
    heading(page, "Attention heads")
    text = page.locator(".st-key-gf-looking textarea")
    for typed in ("Mia found a ball.", "Mia found a ball. " * 20):
        text.fill(typed)
        assert text.evaluate(ON_TOP)
    text.press("Control+Enter")
    still(page)
    assert text.evaluate(ON_TOP)
    page.locator("h1").click()
    buttons = page.locator(".st-key-gf-tools button:visible, [data-testid=stExpandSidebarButton]:visible").all()
    hidden = [one.inner_text() for one in buttons if not one.evaluate(ON_TOP)]
    assert len(buttons) >= 3 and not hidden
    page.locator(".st-key-gf-exhibit-one-head").evaluate("one => one.scrollIntoView()")
    menu = page.locator(".st-key-gf-tools").bounding_box()
    bar = 52 if width < 900 else 0  # a phone's menu stays in a bar with a ground of its own
    assert menu["y"] + menu["height"] <= max(bar, 0) or menu["y"] < 0, "the menu lies over the exhibits' row"


def test_a_heading_keeps_its_link_on_a_phone(url: str, open_page: Callable[..., Any]) -> None:
    """Fault: hiding the links that lead to a heading hides the glossary's terms, which are links themselves."""
    page = open_page(url, width=390)
    click_through(page, "glossary")
    heading(page, "Glossary")
    terms = page.locator("[data-testid=stMain] .gf-words summary")
    terms.first.wait_for()
    assert terms.first.inner_text().strip() and terms.count() > 100
    assert all(text.strip() for text in terms.all_inner_texts())


@pytest.mark.parametrize("slug", in_turn(LESSONS, len(LESSONS)))
def test_every_lesson_by_its_card_and_back(slug: str, url: str, open_page: Callable[..., Any]) -> None:
    page, lesson = open_page(url), LESSONS[slug]
    still(page)
    follow(page.locator(".st-key-gf-navigation"), "Lessons")
    heading(page, "Lessons")
    plain = page.url
    page.locator(f".st-key-gf-room-lesson-{slug} a").first.click()
    heading(page, lesson.title)
    for _ in lesson.steps[1:]:  # some lessons only ask questions until one has predicted
        if move_a_control(page):
            break
        page.get_by_role("button", name=re.compile("Next|Skip")).click()
        still(page)
    assert page.locator("h1").inner_text() == lesson.title
    assert f"lesson={slug}" in page.url and "step=" in page.url
    assert is_restored(page, open_page)
    page.get_by_role("link", name="All lessons").click()
    heading(page, "Lessons")
    assert page.url == plain
    page.go_back()
    heading(page, lesson.title)
    page.go_back()
    follow(page.locator(".st-key-gf-navigation"), "Lessons")
    heading(page, "Lessons")


def test_no_page_stays_behind_its_first_words(url: str, open_page: Callable[..., Any]) -> None:
    """An exhibit alone once did: it has no title of a room, and its picture stands in a shadow."""
    exhibit, lesson = "heads?only=one-head", f"lessons?lesson={next(iter(LESSONS))}"
    for path in ("?only=sentence-through", exhibit, f"{exhibit}&present=1", "sizes?only=law", lesson):
        page = open_page(f"{url}/{path}")
        still(page)
        middle = "document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('#gf-first') ?? null"
        assert page.evaluate(middle) is None, path
        page.context.close()
