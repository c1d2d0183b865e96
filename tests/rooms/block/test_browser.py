"""The room of the block in a real browser: strips and terms answer by pointer and keyboard and ask nobody."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import exhibit, figure


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


def assert_sums(text: str) -> None:
    """Both sums that are told are sums; a number below 0 that is added stands in brackets."""
    lines = re.findall(r"(−?[\d.]+) \+ (\(−[\d.]+\)|[\d.]+) = (−?\d+\.\d+)", text)
    assert len(lines) == 2
    for line in lines:
        a, b, total = (float(number.strip("()").replace("−", "-")) for number in line)
        assert abs(a + b - total) < 0.016  # each of the three is rounded


def test_a_number_is_followed_through_the_block_and_nobody_is_asked(visit: Callable[..., Any]) -> None:
    page = visit("block")
    strips = exhibit(page, "through-the-block").locator("figure.gf").first
    stage, readout = strips.locator(".gf-stage"), strips.locator(".gf-readout")
    stage.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    box = stage.bounding_box()
    at = (box["x"] + 0.4 * box["width"], box["y"] + 80)
    page.mouse.move(*at)
    by_mouse = readout.inner_text()
    assert_sums(by_mouse)
    page.mouse.click(*at)
    page.mouse.move(5, 5)
    assert readout.inner_text() == by_mouse  # a click keeps it
    stage.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    by_keys = readout.inner_text()
    assert by_keys.startswith("Number 1:") and by_keys != by_mouse
    assert_sums(by_keys)
    assert "Number 1:" in strips.locator(".gf-live").inner_text()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert "Point at a column" in readout.inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []


def test_the_steps_show_as_many_sums_as_there_are(visit: Callable[..., Any]) -> None:
    page = visit("block")
    strips = exhibit(page, "through-the-block").locator("figure.gf").first
    sentence = strips.locator(".gf-sentence")
    assert sentence.inner_text().startswith("Attention and the MLP each only add")
    page.sent.clear()
    slider = strips.get_by_role("slider", name="Step")
    slider.fill("1")
    assert sentence.inner_text().startswith("Attention adds")
    slider.fill("0")
    assert "comes in as" in sentence.inner_text()
    stage = strips.locator(".gf-stage")
    stage.focus()
    page.keyboard.press("Home")
    assert re.match(r"Number 0: −?\d+\.\d\d\. It is one of", strips.locator(".gf-readout").inner_text())
    assert page.sent == []


def test_every_term_can_be_clicked_and_reached_by_keys(visit: Callable[..., Any]) -> None:
    page = visit("block?param_of=GPT-2+small")
    picture = figure(page, "Parameters")
    picture.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    terms = picture.locator(".gf-term")
    assert terms.count() == 6
    counts = []
    for i in range(6):
        terms.nth(i).click()
        assert terms.nth(i).get_attribute("aria-pressed") == "true"
        told = picture.locator(".gf-chosen").inner_text()
        counts.append(int(re.search(r"([\d,]+) parameters", told)[1].replace(",", "")))  # type: ignore[index]
    assert sum(counts) == 124_439_808
    assert "28,348,416" in terms.nth(2).inner_text()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert terms.nth(2).get_attribute("aria-pressed") == "true"
    assert "blocks.*.attn.w_q.weight" in picture.locator(".gf-readout").inner_text()
    stage = picture.locator(".gf-stage")
    stage.click(position={"x": 12, "y": 40})  # the largest rectangle stands first
    assert "feed-forward" in picture.locator(".gf-chosen").inner_text()
    picture.get_by_role("button", name="Table").click()
    assert "tok_emb.weight" in picture.locator(".gf-table").inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []
