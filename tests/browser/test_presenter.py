"""Presenter mode and the page's keys: on and off, large letters, strong colors, and nobody's typing disturbed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.rooms.heads import ROOM as HEADS
from tests.browser.rooms import address_has_no, click_through, exhibit, settle, too_wide, until
from tests.counts import rest_is_full

IS_ON = "document.documentElement.classList.contains('gf-present')"
PLACE = """[...document.querySelectorAll('[data-testid=stMain] [class*=st-key-gf-exhibit-]')]
    .filter(one => one.getBoundingClientRect().top <= 0.35 * innerHeight).length"""
# One of each kind of what can have the focus on the page, in the shadows of the widgets, too.
FOCUSABLE = """() => {
    const found = window.kinds = new Map();
    const walk = (root) => root.querySelectorAll("*").forEach((node) => {
        if (node.shadowRoot) walk(node.shadowRoot);
        if (node.tabIndex < 0 || node.disabled || !node.getClientRects().length || node.tagName === "A") return;
        found.set([node.tagName, node.type, node.getAttribute("role")].join(" "), node);
    });
    walk(document.querySelector("[data-testid=stMain]"));
    return [...found.keys()];
}"""
POINT = """kind => {
    const node = window.kinds.get(kind);
    node.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, composed: true}));
    node.focus({preventScroll: true});
}"""
MEASURE = Path(__file__).with_name("presenter.js").read_text()


@pytest.fixture
def look(visit: Callable[..., Any]) -> Callable[..., Any]:
    """A page whose keys are in force, on a projector of 1024 x 768."""

    def start(path: str, *, dark: bool = False) -> Any:
        page = visit(path, width=1024, dark=dark)
        page.set_viewport_size({"width": 1024, "height": 768})
        page.locator(".st-key-gf-tools .row button").first.wait_for(state="attached")
        return page

    return start


def top_of(page: Any, name: str) -> float:
    return float(page.evaluate(f"document.querySelector('.st-key-gf-exhibit-{name}').getBoundingClientRect().top"))


def test_on_and_off_and_through_the_exhibits(look: Callable[..., Any]) -> None:
    page = look("heads")
    page.sent.clear()
    page.keyboard.press("p")
    assert page.evaluate(IS_ON)
    for chrome in ("stSidebar", "stHeader"):
        assert not page.get_by_test_id(chrome).first.is_visible()
    assert not page.locator("[class*=st-key-gf-panel-]").first.is_visible()
    assert too_wide(page) <= 0
    assert abs(top_of(page, "all-heads")) < 40
    page.keyboard.press("PageDown")
    assert abs(top_of(page, "switch-off")) < 40
    until(page, f"document.querySelector('.gf-present-bar span').textContent === '2 of {len(HEADS.exhibits)}'")
    page.keyboard.press("ArrowLeft")
    assert abs(top_of(page, "all-heads")) < 40
    assert not page.sent  # all of it in the browser
    page.keyboard.press("Escape")
    assert not page.evaluate(IS_ON)
    assert page.get_by_test_id("stHeader").first.is_visible()


def turns(page: Any, key: str, by: int) -> bool:
    """Whether a key brings the page so many exhibits on."""
    before = page.evaluate(PLACE)
    page.keyboard.press(key, delay=30)  # a held key comes no faster
    return bool(page.evaluate(PLACE) == before + by)


@pytest.mark.parametrize("path", ["heads", "strategies", "patches"])
def test_a_remote_control_works_whatever_was_clicked_last(look: Callable[..., Any], path: str) -> None:
    page = look(f"{path}?present=true")
    until(page, IS_ON)
    page.keyboard.press("s")  # Set and Try, too
    kinds = page.evaluate(FOCUSABLE)
    assert len(kinds) >= 8
    dead = []
    for kind in kinds:
        page.evaluate("document.querySelectorAll('[class*=st-key-gf-exhibit-]')[1].scrollIntoView()")
        page.evaluate(POINT, kind)
        is_text = kind.strip() in ("TEXTAREA textarea", "INPUT text", "INPUT number")
        keys = {"PageDown": 1, "PageUp": -1} | ({} if is_text else {"ArrowRight": 1, "ArrowLeft": -1, " ": 1})
        dead += [f"{key!r} on {kind}" for key, by in keys.items() if not turns(page, key, by)]
    assert not dead, "\n".join(dead)


def test_a_lecturer_clicks_and_goes_on_with_the_remote(look: Callable[..., Any]) -> None:
    page = look("heads?present=true")
    until(page, IS_ON)
    page.keyboard.press("s", delay=30)
    first = exhibit(page, "all-heads")
    for clicked in (first.get_by_role("slider").first, first.get_by_role("radio").nth(2)):
        clicked.click(force=True)  # what takes the pointer is the track around the field
        settle(page)
        assert turns(page, "PageDown", 1) and turns(page, "ArrowLeft", -1)
    model = page.get_by_role("combobox", name="Model")
    model.scroll_into_view_if_needed()  # a list that opens while the page still scrolls closes at once
    page.wait_for_timeout(500)
    model.click()
    until(page, "document.querySelector('[role=option]') !== null")
    assert turns(page, "End", 0), "End belongs to the open list"
    page.keyboard.press("PageDown", delay=30)
    until(page, "document.querySelector('[role=option]') === null")
    assert page.evaluate(PLACE) > 0
    page.keyboard.press("Home", delay=30)
    assert page.evaluate(PLACE) <= 1 and turns(page, "PageDown", 1) and turns(page, " ", 1)
    page.keyboard.press("End", delay=30)
    assert page.evaluate(PLACE) == len(HEADS.exhibits)
    page.keyboard.press("PageUp", delay=30)
    for key in ("b", "."):
        page.keyboard.press(key, delay=30)
        dark = page.get_by_role("button", name="The screen is black")
        assert dark.bounding_box() == {"x": 0, "y": 0, "width": 1024, "height": 768}
        assert turns(page, "PageDown", 0) and dark.count() == 0
    page.keyboard.press("Home", delay=30)
    first.locator(".gf-stage").first.click()
    settle(page)
    page.keyboard.press("Escape", delay=30)
    assert not page.evaluate(IS_ON), "Esc forgot the clicked cell and went no further"
    page.locator("h1").click()
    page.keyboard.press("p", delay=30)
    assert page.evaluate(IS_ON)
    page.evaluate("window.same = true")
    page.keyboard.press("F5", delay=30)
    assert not page.evaluate(IS_ON) and page.evaluate("window.same"), "F5 loaded the page again"


def test_after_tab_a_slider_keeps_its_arrows(look: Callable[..., Any]) -> None:
    page = look("heads?present=true")
    until(page, IS_ON)
    page.keyboard.press("s")
    slider = exhibit(page, "all-heads").get_by_role("slider").first
    slider.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    before = slider.input_value()
    assert turns(page, "ArrowRight", 0)
    assert slider.input_value() != before
    assert turns(page, "PageDown", 1)


def test_what_is_to_be_compared_stands_side_by_side(look: Callable[..., Any]) -> None:
    page = look("seq2seq?present=true")
    until(page, IS_ON)
    tops = "[...document.querySelector('.st-key-gf-exhibit-bottleneck [class*=st-key-gf-pair-]').children]"
    before, after = page.evaluate(f"{tops}.map(one => one.getBoundingClientRect().top)")
    assert abs(before - after) < 2 and too_wide(page) <= 0


def test_no_keys_while_typing_and_one_listener_after_many_reruns(look: Callable[..., Any]) -> None:
    page = look("heads")
    text = page.get_by_role("textbox", name="Your text")
    text.click()
    page.keyboard.type("pp?")
    assert not page.evaluate(IS_ON) and page.locator("dialog[open]").count() == 0
    text.press("Control+Enter")
    settle(page)
    for path, room in (("tokens", "Tokens"), ("heads", "Attention heads")):  # the page and its buttons are drawn anew
        click_through(page, path)
        page.get_by_role("heading", name=room, exact=True).wait_for()
        settle(page)
    page.locator("h1").click()
    page.keyboard.press("p")
    assert page.evaluate(IS_ON)  # two listeners would have switched it off again
    page.reload()
    until(page, IS_ON)  # the browser remembers
    page.keyboard.press("Escape")
    assert not page.evaluate(IS_ON)
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


# Of each chart's letters those outside of it: a title's box is somewhat taller than its letters.
OUTSIDE = """() => [...document.querySelectorAll("[data-testid=stVegaLiteChart] svg.marks")].flatMap((svg) => {
    const box = svg.getBoundingClientRect();
    const top = box.top - parseFloat(getComputedStyle(svg).marginTop) * box.width / svg.getAttribute("width");
    return [...svg.querySelectorAll("text")].filter((text) => {
        const one = text.getBoundingClientRect();
        return one.width && (one.top < top - 6 || one.bottom > box.bottom + 6 || one.left < box.left - 6
            || one.right > box.right + 6);
    }).map((text) => text.textContent);
})"""


@pytest.mark.parametrize("path", rest_is_full("assistant", "circuits", "fewer_bits", "draft_and_verify", "ngrams"))
def test_charts_stand_whole_on_a_slide_in_letters_of_one_size(look: Callable[..., Any], path: str) -> None:
    """Streamlit takes its letters from the page's: a chart drawn on a slide had larger ones, and was enlarged, too."""
    page = look(f"{path}?present=true")
    until(page, IS_ON)
    page.locator("[data-testid=stVegaLiteChart] svg.marks").first.wait_for()
    until(page, f"({OUTSIDE})().length === 0")
    letters = "[...document.querySelectorAll('svg.marks [class*=role-axis-label] text')]"
    assert set(page.evaluate(f"{letters}.map(one => one.getAttribute('font-size'))")) == {"12px"}


@pytest.mark.parametrize("dark", [False, True])
def test_read_from_the_last_row(look: Callable[..., Any], dark: bool) -> None:
    page = look("masks?present=true", dark=dark)
    until(page, IS_ON)
    page.wait_for_timeout(500)
    found = page.evaluate(f"{MEASURE}measure()")
    assert not found["small"] and not found["pale"], found
    assert found["body"] >= 20
    assert too_wide(page) <= 0
    assert exhibit(page, "kinds-of-masks").evaluate("n => n.getBoundingClientRect().height") == 716  # all but the foot
    page.get_by_role("button", name="Leave presenter mode").click()
    address_has_no(page, "present")


def test_the_steps_of_a_lesson(open_page: Callable[..., Any], url: str) -> None:
    page = open_page(f"{url}/lessons?lesson=masks&step=2&present=true", width=1024)
    until(page, IS_ON)
    until(page, "/^2 of /.test(document.querySelector('.gf-present-bar span').textContent)")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**step=3**")
    until(page, "/^3 of /.test(document.querySelector('.gf-present-bar span').textContent)")
    page.keyboard.press("PageUp")
    page.wait_for_url("**step=2**")
    n_step = page.locator(".gf-present-bar span").text_content().split(" of ")[1]
    for key, number in (("End", n_step), ("Home", "1"), ("Space", "2")):
        page.keyboard.press(key)
        page.wait_for_url(f"**step={number}**")
        until(page, f"document.querySelector('.gf-present-bar span').textContent.startsWith('{number} of')")
