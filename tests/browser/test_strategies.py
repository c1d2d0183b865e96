"""The room of strategies in a real browser: writing, pointing, changing columns, drawing again; a phone."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import ROOT, figure, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py", GLASSFORMER_TRAINING="off")


def test_texts_fill_and_tokens_explain_themselves_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("strategies?columns_n=12")
    texts = figure(page, "What follows")
    page.sent.clear()
    assert texts.locator("output").first.inner_text() == "12 of 12"
    assert texts.locator(".gf-text span:visible").count() == 12 * 6  # all is there before anybody presses play
    slider = texts.get_by_role("slider", name="Tokens shown")
    slider.fill("1")
    assert texts.locator(".gf-text span:visible").count() == 6
    texts.get_by_role("button", name="One token on").click()
    assert texts.locator("output").first.inner_text() == "2 of 12"
    texts.get_by_label("Speed").select_option("4")
    texts.get_by_role("button", name="Play").click()
    texts.locator("output", has_text="12 of 12").wait_for(timeout=10_000)
    detail = texts.locator(".gf-detail")
    token = texts.locator(".gf-text").nth(2).locator("span").nth(1)
    token.hover()
    assert "temperature 2, token 2:" in detail.inner_text() and "fell between" in detail.inner_text()
    first = texts.locator(".gf-text").first
    first.focus()
    for key in ("Home", "ArrowRight"):
        page.keyboard.press(key)
    assert "greedy, token 2:" in detail.inner_text() and "nothing is drawn" in detail.inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []


def test_columns_are_added_edited_locked_and_reseeded(visit: Callable[..., Any]) -> None:
    page = visit("strategies?columns_n=8&columns=greedy~t2")
    texts = figure(page, "What follows")
    texts.get_by_label("Add a column").select_option(label="beam 4")
    page.wait_for_url(re.compile(r"columns=greedy%7Et2%7Ebeam4|columns=greedy~t2~beam4"), timeout=15_000)
    settle(page)
    beams = texts.get_by_role("spinbutton", name="beams")
    beams.fill("2")
    beams.press("Enter")
    page.wait_for_url(re.compile("beam2"), timeout=15_000)
    settle(page)
    texts.get_by_role("button", name="Lock temperature 2").click()
    page.wait_for_url(re.compile("t2x"), timeout=15_000)
    settle(page)
    locked = texts.locator(".gf-text").nth(1).inner_text()
    texts.get_by_label("Add a column").select_option(label="softmax")
    page.wait_for_url(re.compile("softmax"), timeout=15_000)
    settle(page)
    texts.get_by_role("button", name="New seeds", exact=True).click()
    page.wait_for_url(re.compile("softmaxs1"), timeout=15_000)
    texts.locator("output", has_text="8 of 8").first.wait_for(timeout=10_000)
    assert "t2x" in page.url and texts.locator(".gf-text").nth(1).inner_text() == locked
    texts.get_by_role("button", name="Remove greedy").click()
    page.wait_for_function("() => !location.search.includes('greedy')", timeout=15_000)


def test_the_step_follows_the_finger_and_draws_again(visit: Callable[..., Any]) -> None:
    page = visit("strategies?columns_n=5&knobs=softmax")
    step = figure(page, "After “")
    page.sent.clear()
    before = step.locator(".gf-readout").last.inner_text()
    step.get_by_role("button", name="Draw again").click()
    assert step.locator(".gf-readout").last.inner_text() != before and "Draw 2 of seed 0" in step.inner_text()
    slider = step.get_by_role("slider", name="top-k")
    slider.evaluate("node => { node.value = 0; node.dispatchEvent(new Event('input', { bubbles: true })); }")
    assert "top-k 1 left" in step.locator(".gf-readout").first.inner_text()
    assert page.sent == []
    slider.dispatch_event("change")
    page.wait_for_url(re.compile("knobs=k1"), timeout=15_000)
    settle(page)
    step.get_by_role("button", name="All knobs off").click()
    page.wait_for_url(re.compile("knobs=softmax"), timeout=15_000)


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1024, False)])
def test_nothing_is_wider_than_the_screen(visit: Callable[..., Any], width: int, dark: bool) -> None:
    page = visit("strategies?columns_n=10", width=width, dark=dark)
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"() => {main}.scrollWidth - {main}.clientWidth") <= 0
    assert page.locator('[data-testid="stAlert"]').count() == 0
