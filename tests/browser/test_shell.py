"""The shell in a real browser: fonts, policy, contained faults, links, hostile text, both themes."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rooms import until
from tests.chromium import LONGEST_WAIT

ROOT = Path(__file__).resolve().parents[2]
APP = Path(__file__).with_name("shell_app.py")
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    return serve(APP, GLASSFORMER_TRAINING="off")


def _settle(page: Any) -> None:
    page.wait_for_timeout(200)
    page.wait_for_selector(READY)


def _loaded_fonts(page: Any) -> set[str]:
    fonts: list[str] = page.evaluate("[...document.fonts].filter(f => f.status === 'loaded').map(f => f.family)")
    return {font.strip("\"'") for font in fonts}


def test_fonts_come_from_this_server_and_nothing_from_elsewhere(url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(url)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.reload()
    page.wait_for_selector(READY)
    page.get_by_role("radio", name="Code").last.click()
    page.get_by_text("def escape_markdown").wait_for()
    until(page, "[...document.fonts].some(f => f.family.includes('JetBrains') && f.status === 'loaded')")
    assert {"Inter", "JetBrains Mono"} <= _loaded_fonts(page)
    assert any("/fonts/inter-latin.woff2" in request for request in requests)
    assert [request for request in requests if not request.startswith((url, "data:", "blob:"))] == []


def test_a_broken_exhibit_leaves_the_others_alone(url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(url)
    fault = page.locator(".st-key-gf-exhibit-broken").get_by_role("alert")
    assert re.search(r"[0-9a-f]{8}", fault.inner_text())
    assert "secret" not in page.content()
    assert "Traceback" not in page.content()
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("The number is 2.").wait_for()


def test_the_link_is_the_address_with_its_state(url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{url}/?n=7")
    page.get_by_text("The number is 7.").wait_for()
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("The number is 8.").wait_for()
    page.get_by_role("radio", name="Link").last.click()
    link = page.locator(".st-key-gf-exhibit-working code")
    link.wait_for()
    assert link.inner_text().strip() in {f"{url}?n=8", f"{url}/?n=8"}


def test_hostile_text_shows_as_itself(url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(url)
    hostile = re.findall(r'^        ("(?:[^"\\]|\\.)*"),$', APP.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(hostile) == 4
    for i, literal in enumerate(hostile):
        expected = _plain(literal[1:-1].replace('\\"', '"').replace("\\\\", "\\"))
        sinks = page.locator(f".st-key-hostile-{i} p")  # markdown and caption
        assert [_plain(text) for text in sinks.all_inner_texts()] == [expected, expected]
        assert sinks.locator("*").count() == 0
    assert page.title() != "caught"


def test_the_owner_outlasts_a_reload(url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(url)
    who = page.locator("[data-testid=stCode] code").last.inner_text()
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("[data-testid=stCode] code").last.inner_text() == who
    cookie = next(cookie for cookie in page.context.cookies() if cookie["name"] == "glassformer_owner")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax"
    assert who != cookie["value"]


@pytest.mark.parametrize(("dark", "ink"), [(False, "rgb(255, 255, 255)"), (True, "rgb(7, 18, 27)")])
def test_primary_buttons_can_be_read(url: str, open_page: Callable[..., Any], dark: bool, ink: str) -> None:
    page = open_page(url, dark=dark)
    from playwright.sync_api import expect

    expect(page.get_by_role("button", name="Act")).to_have_css("color", ink)


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_nothing_runs_off_the_side(url: str, open_page: Callable[..., Any], width: int) -> None:
    page = open_page(url, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_visitor_may_come_by_a_deep_link(serve: Callable[..., str], browser: Any) -> None:
    # Streamlit itself looks for its server below the deep address first; those answers are 404 by design, so this
    # test opens its own context instead of `open_page`, which counts them as errors.
    fresh = serve(ROOT / "app.py", GLASSFORMER_TRAINING="off")
    with browser.new_context() as context:
        context.set_default_timeout(LONGEST_WAIT * 1000)
        page = context.new_page()
        page.goto(f"{fresh}/heads")
        page.wait_for_selector(READY)
        page.get_by_role("heading", level=1).wait_for()
        assert "Page not found" not in page.inner_text("body")
        assert "heads" in page.inner_text("h1").lower()


def _plain(text: str) -> str:
    """Text as the eye reads it: without invisible joiners, with plain single spaces."""
    return " ".join(text.replace("\u2060", "").replace("\u00a0", " ").split())
