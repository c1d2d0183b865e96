"""Every room under a finger, 390 pixels wide: it opens, what a mouse marks a tap marks for good, nothing is too small.

Faults that these would catch: a picture that listens to a moving pointer alone or forgets its mark when the finger
goes; a field that iOS zooms into; a button too small for a finger; a picture over which the page can't be zoomed.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import ROOT, click_through, settle, until
from tests.browser.test_firefox import NO_PICTURE, PAGES
from tests.chromium import LONGEST_WAIT

SCRIPT = (ROOT / "tests" / "browser" / "touch.js").read_text(encoding="utf-8")
PHONE = {"has_touch": True, "is_mobile": True}
NOWHERE = (2, 2)
LONGEST_REST = 40  # looks, 150 ms apart
AFTER = 400  # ms after a tap, in which a mark that goes would have gone
ANSWER = ("home", "heads", "table", "beam", "masks")  # rooms whose first picture answers to a mouse, surely
DRAWS = "canvas.gf-pad"  # a field that is there to be drawn on


@pytest.fixture
def phone(open_page: Callable[..., Any], url: str) -> Callable[..., Any]:
    """`phone(path) -> page`: a room on a phone, drawn, with `touch.js` in it."""

    def start(path: str) -> Any:
        page = open_page(f"{url}/{path}" if "?" in path else url, width=390, **PHONE)
        page.set_viewport_size({"width": 390, "height": 844})
        if "?" not in path and path != "home":
            click_through(page, path)
        if path not in NO_PICTURE:
            settle(page)
        page.evaluate(SCRIPT)
        until(page, "!touch.isFetching()")  # a picture that changes by itself tells nothing
        return page

    return start


def _marked_place(page: Any, i: int) -> list[float] | None:
    """A place of picture `i` to tap, for it answers a mouse there; None if there is none, or if it changes by itself.

    Where a mouse leaves its mark, it is then left at another place.
    """
    places, first = page.evaluate(f"touch.places({i})"), None
    page.mouse.move(*NOWHERE)
    if (bare := _at_rest(page, i)) is None:
        return None
    for place in places:
        page.mouse.move(*place)
        page.wait_for_timeout(20)
        if page.evaluate(f"touch.look({i})") != bare:
            page.mouse.move(*NOWHERE)
            rest = _at_rest(page, i)
            if rest == bare or first is not None:
                return first or place
            first, bare = place, rest
    return None


def _at_rest(page: Any, i: int) -> str | None:
    """How picture `i` looks when it has been drawn for good; None if it never rests."""
    looks: list[str] = []
    for _ in range(LONGEST_REST):
        looks.append(page.evaluate(f"touch.look({i})"))
        if looks[-4:] == looks[-1:] * 4:
            return looks[-1]
        page.wait_for_timeout(150)
    return None


@pytest.mark.parametrize("path", PAGES)
def test_a_room_under_a_finger(phone: Callable[..., Any], path: str) -> None:
    page = phone(path)
    found = {
        "text that iOS zooms into": page.evaluate("touch.smallText()"),
        "too small for a finger": page.evaluate("touch.smallTargets()"),
        "can't be zoomed": [one for one in page.evaluate("touch.unzoomable()") if not one.startswith(DRAWS)],
        "a tap leaves no mark": [],
    }
    n_marked = 0
    for i in range(page.evaluate("touch.figures()")):
        place = _marked_place(page, i)
        if place is None:
            continue
        n_marked += 1
        bare = page.evaluate(f"touch.look({i})")
        page.touchscreen.tap(*place)
        page.wait_for_timeout(AFTER)
        if page.evaluate(f"touch.look({i})") == bare:
            found["a tap leaves no mark"].append(f"picture {i} at {place}: {bare[:160]}")
    assert not any(found.values()), {name: some for name, some in found.items() if some}
    assert n_marked or path not in ANSWER, "no picture answers a mouse: this test has lost its eyes"


def _finger(page: Any) -> Callable[..., None]:
    """`finger("touchStart" | "touchMove" | "touchEnd", *places)`: fingers at these places of the window."""
    line = page.context.new_cdp_session(page)

    def act(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(places)]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return act


def test_a_drag_along_the_sheets_of_home_keeps_its_mark(phone: Callable[..., Any]) -> None:
    page = phone("home")
    until(page, "!!document.querySelector('[class*=home-picture]')")
    canvas = page.locator(".gf-sheets canvas")
    canvas.scroll_into_view_if_needed()
    place, finger = _marked_place(page, 0), _finger(page)
    assert place is not None
    box, last = canvas.bounding_box(), page.evaluate("touch.look(0)")
    finger("touchStart", (box["x"] + box["width"] / 2, place[1]))
    for step in range(1, 8):
        finger("touchMove", (place[0] + 4 * step, place[1]))
        page.wait_for_timeout(30)
    dragged = page.evaluate("touch.look(0)")
    finger("touchEnd")
    page.wait_for_timeout(AFTER)
    assert dragged != last and page.evaluate("touch.look(0)") == dragged


def test_a_finger_scrolls_over_the_mask_and_draws_when_told_to(phone: Callable[..., Any]) -> None:
    page = phone("masks")
    editor = page.locator("figure.gf", has=page.locator(".gf-mask")).first
    stage = editor.locator(".gf-stage").first
    stage.scroll_into_view_if_needed()
    finger, scrolled = _finger(page), "document.querySelector('[data-testid=stMain]').scrollTop"
    mask = lambda: editor.evaluate("node => node.querySelector('canvas').toDataURL()")  # noqa: E731

    def swipe(*also: tuple[float, float]) -> None:
        box = stage.bounding_box()
        x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.75 * box["height"]
        finger("touchStart", (x, y))
        if also:
            finger("touchStart", (x, y), *also)
        for step in range(1, 9):
            finger("touchMove", (x, y - 12 * step), *also)
            page.wait_for_timeout(30)
        finger("touchEnd")
        page.wait_for_timeout(AFTER)

    before, at = mask(), page.evaluate(scrolled)
    swipe()
    assert mask() == before and page.evaluate(scrolled) > at, "a swipe scrolls and paints nothing"
    editor.get_by_role("button", name="Draw with a finger").tap()
    stage.scroll_into_view_if_needed()
    before, at = mask(), page.evaluate(scrolled)
    box = stage.bounding_box()
    swipe((box["x"] + 0.2 * box["width"], box["y"] + 0.2 * box["height"]))
    assert mask() == before, "two fingers paint nothing"
    at = page.evaluate(scrolled)
    swipe()
    assert mask() != before and page.evaluate(scrolled) == at, "one finger draws, and the page stands still"


OVERLAP = """(() => {
    const header = document.querySelector("[data-testid=stHeader]");
    const sign = header.appendChild(Object.assign(document.createElement("div"), { textContent: "Stop" }));
    sign.dataset.testid = "stStatusWidget";
    const a = sign.getBoundingClientRect();
    const over = [...document.querySelectorAll(".st-key-gf-tools button")].map((one) => one.getBoundingClientRect())
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).length;
    sign.remove();
    return over;
})()"""
GROUND = """(() => {
    const {position, backgroundColor, height} =
        getComputedStyle(document.querySelector("[data-testid=stMainBlockContainer]"), "::before");
    return [position, /rgba.*, 0\\)|transparent/.test(backgroundColor), parseFloat(height) >= 48];
})()"""


def test_the_bar_of_a_phone_has_a_ground_and_the_stop_sign_its_own_place(phone: Callable[..., Any]) -> None:
    page = phone("heads")
    assert page.evaluate(OVERLAP) == 0
    assert page.evaluate(GROUND) == ["fixed", False, True]
    share = page.get_by_role("button", name="Share").bounding_box()
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 500)")
    page.wait_for_timeout(AFTER)
    assert page.get_by_role("button", name="Share").bounding_box() == share


def test_a_browser_without_a_language_opens_homework(browser: Any, url: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.add_init_script("Object.defineProperty(navigator, 'language', {get: () => 'c'});")
    page = context.new_page()
    page.goto(f"{url}/homework")
    page.get_by_role("heading", name="Homework").first.wait_for(timeout=LONGEST_WAIT * 1000)
    page.locator("[data-testid=stDateInput]").first.wait_for(timeout=LONGEST_WAIT * 1000)
    page.wait_for_timeout(1000)
    assert "RangeError" not in page.inner_text("body")
    context.close()


@pytest.mark.parametrize("address", ["join", "join#ABC234"])
def test_no_phone_zooms_into_the_way_to_a_class(browser: Any, url: str, address: str) -> None:
    """The page isn't Streamlit's: its fields have a style of their own."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, **PHONE)
    context.set_default_timeout(LONGEST_WAIT * 1000)
    page = context.new_page()
    page.goto(f"{url}/{address}")
    page.get_by_label("Nickname").wait_for()
    page.evaluate(SCRIPT)
    assert page.evaluate("touch.smallText()") == []
    assert page.evaluate("touch.smallTargets()") == []
    context.close()
