"""Every page, once light on a desk and once dark on a phone: axe-core finds no serious fault, no page is wider than a
phone, each ends with the way on, pictures have their tables, nothing moves by itself. On the desk the panels are open;
with every change `test_walk.py` looks at each page as it opens.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.lessons.format import catalog
from core.lessons.format.lesson import (
    CheckQuestion,
    ChoiceForm,
    CodeExcerpt,
    CurveAnswerForm,
    ExhibitPart,
    ExhibitTask,
    Lesson,
    LessonPart,
    LessonStep,
    NumberForm,
    PredictQuestion,
)
from core.rooms import rooms
from tests.browser.rooms import READY, ROOT, cut_formulas, fits, serious_faults, styled, too_wide, until

PAGES = ["" if room.address == "home" else room.address for room in rooms()]
ROOMLESS = {"", "lessons", "glossary", "start_a_class", "homework"}
REACH = (Path(__file__).parent / "reach.js").read_text()
PANELS = ("Link", "Code", "Numbers", "Download")


def kind_of(part: LessonPart) -> str:
    """What makes a step of a lesson look different from others."""
    if isinstance(part, PredictQuestion):
        return {ChoiceForm: "choice", NumberForm: "number", CurveAnswerForm: "curve"}[type(part.form)]
    return {CheckQuestion: "check", ExhibitTask: "do", CodeExcerpt: "code", ExhibitPart: "piece"}.get(
        type(part), "prose"
    )


def shown_first(step: LessonStep) -> list[LessonPart]:
    """The parts of a step that wait for no prediction."""
    first = next((i for i, part in enumerate(step.parts) if isinstance(part, PredictQuestion)), len(step.parts))
    return list(step.parts[: first + 1])


def steps_of_each_kind() -> list[str]:
    """Addresses of lesson steps that together show every kind of part, as few as a short search finds."""
    kinds: dict[str, set[str]] = {}
    lessons: list[Lesson] = [
        one.lesson for one in catalog.lesson_files().values() if one.lesson is not None and one.is_own
    ]
    for lesson in lessons:
        for number, step in enumerate(lesson.steps, 1):
            kinds[f"lessons?lesson={lesson.slug}&step={number}"] = set(map(kind_of, shown_first(step)))
    wanted, chosen = set().union(*kinds.values()), []
    while wanted:
        best = max(kinds, key=lambda address: len(kinds[address] & wanted))
        chosen.append(best)
        wanted -= kinds[best]
    return chosen


STEPS = steps_of_each_kind()


def test_every_page_is_looked_at() -> None:
    assert len(PAGES) == len(set(PAGES)) == len(list((ROOT / "pages").glob("*/*.py")))


@pytest.mark.parametrize("path", [*PAGES, *STEPS])
def test_on_a_desk_with_its_panels_open(path: str, look_at: Callable[..., Any]) -> None:
    page = look_at(path)
    settle(page)
    if path not in ROOMLESS and path not in STEPS:
        page.locator(".st-key-gf-onward a").first.wait_for()  # else it is a dead end
    assert not page.evaluate("reach.naked()"), "pictures without a table"
    page.evaluate("reach.watch()")
    open_panels(page)
    assert not serious_faults(page)
    assert not page.evaluate("reach.moved()"), "something plays by itself"
    assert list(fits(page, 1024, 390))


@pytest.mark.parametrize("path", [*PAGES, *STEPS])
def test_on_a_dark_phone(path: str, look_at: Callable[..., Any]) -> None:
    page = look_at(path, width=390, dark=True)
    settle(page)
    assert too_wide(page) <= 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not cut_formulas(page)
    assert not serious_faults(page)


@pytest.mark.parametrize("path", ["masks", "next_token", STEPS[0]])
def test_in_front_of_a_class(path: str, url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{url}/{path}", width=1024)
    settle(page)
    page.locator(".st-key-gf-tools .row button").first.wait_for(state="attached")  # from now on the keys are in force
    page.keyboard.press("p")
    until(page, "document.documentElement.classList.contains('gf-present')")
    page.wait_for_timeout(400)
    assert not serious_faults(page)
    assert page.evaluate("CSS.highlights.get('gf-term')?.size ?? 0") == 0, "dotted lines on a projector"


@pytest.mark.parametrize("path", ["masks", "strategies", "patches"])
def test_the_keyboard_reaches_everything_and_is_seen(path: str, look_at: Callable[..., Any]) -> None:
    page = look_at(path)
    settle(page)
    open_panels(page)
    page.evaluate("document.activeElement?.blur()")
    n = page.evaluate("reach.number()")
    reached: set[int] = set()
    unseen: list[str] = []
    last = None
    for _ in range(n + 60):
        page.keyboard.press("Tab")
        now = page.evaluate("reach.focused()")
        if now is None:  # out of the page; it begins anew
            last = None
            continue
        if now["id"] in reached and now["id"] != last:
            break
        assert now["id"] != last or now["isNew"], f"stuck at {now['what']}"
        last = now["id"]
        reached.add(last)
        if not now["seen"]:  # some draw their ring a moment later
            page.wait_for_timeout(100)
        if not page.evaluate("reach.focused()")["seen"]:
            unseen.append(now["what"])
    missed = page.evaluate("reached => reach.missed(reached)", list(reached))
    assert not missed, f"not reached with Tab: {missed}"
    assert not unseen, f"focus that is not seen: {unseen}"


def test_a_phone_shows_the_room_that_was_chosen(url: str, open_page: Callable[..., Any]) -> None:
    """On a narrow screen the sidebar lies over the page; a link in it closes it."""
    page = open_page(f"{url}/masks", width=390, has_touch=True)
    settle(page)
    page.get_by_test_id("stExpandSidebarButton").tap()
    page.locator('.st-key-gf-navigation a[href="heads"]').tap()
    page.get_by_role("heading", name="Attention heads", exact=True).wait_for()
    page.get_by_test_id("stExpandSidebarButton").wait_for()
    until(page, "document.elementFromPoint(100, 400).closest('[data-testid=stSidebar]') === null")


def test_terms_explain_themselves(url: str, open_page: Callable[..., Any]) -> None:
    """On hover, on a tap, in the list for the keyboard; Esc closes the card; none of it asks the server."""
    page = open_page(f"{url}/masks", width=390, has_touch=True)
    settle(page)
    until(page, "(CSS.highlights.get('gf-term')?.size ?? 0) > 3")
    words = page.evaluate("[...CSS.highlights.get('gf-term')].map(range => range.toString().toLowerCase())")
    assert len(words) == len(set(words)) and "mask" in words
    page.sent.clear()
    x, y = page.evaluate(FIRST_TERM)
    card = page.locator(".st-key-gf-terms [popover]")
    page.mouse.move(x, y - 40)
    page.mouse.move(x, y)
    card.wait_for(state="visible")
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    page.mouse.move(1, 1)
    page.touchscreen.tap(x, y)
    card.wait_for(state="visible")
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    summary = page.locator(".st-key-gf-terms summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.locator(".st-key-gf-terms dt a").first.wait_for()
    page.keyboard.press("Tab")
    link = page.evaluate("document.activeElement.shadowRoot.activeElement.href")
    assert "/glossary?term=" in link
    assert page.locator(".st-key-gf-terms dt").count() == len(words)
    assert not page.sent


def open_panels(page: Any) -> None:
    """Open one panel of each kind, each in another exhibit as far as there are some; and what folds open."""
    bars = page.locator('[class*="st-key-gf-panel-"]')
    n = bars.count()
    for i, panel in enumerate(PANELS[:n] if n > 1 else PANELS[: 2 * n]):
        button = bars.nth(i % n).get_by_role("button", name=panel)
        if not button.count():
            button = bars.nth(i % n).get_by_role("radio", name=panel)
        if button.count():
            button.first.click()
            page.wait_for_selector(READY)
    for what in ("Try this", "Words on this page"):
        one = page.locator("summary", has_text=what)
        if one.count() and one.first.is_visible():  # a page may have no words to explain
            one.first.click()
    page.wait_for_timeout(400)


def settle(page: Any) -> None:
    """Wait until every picture has been drawn: until then it has no name for a screen reader."""
    styled(page)
    page.evaluate(REACH)
    page.wait_for_selector(".st-key-gf-terms", state="attached")  # the last of every page
    page.wait_for_selector(READY)
    n = -1
    while n != (n := page.evaluate("reach.size()")):  # on a busy machine the boxes of the pictures come late
        page.wait_for_selector(".gf-wait", state="detached")
        page.wait_for_selector("figure.gf:not([data-drawn])", state="detached")
        page.wait_for_timeout(300)
    page.wait_for_selector('figure.gf [role="img"]:not([aria-label]):visible', state="detached")


FIRST_TERM = """() => {
  const [range] = CSS.highlights.get("gf-term"), box = range.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""
