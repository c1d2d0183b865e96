"""The room of captions in a real browser: words and heads are walked without asking the server."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, settle


def test_words_and_heads_are_walked_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("captions")
    film = exhibit(page, "look").locator("figure.gf").first
    film.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    words, sentence = film.locator(".gf-caption button"), film.locator(".gf-split .gf-sentence")
    assert words.all_inner_texts() == ["a", "six", ",", "written", "thin", "and", "leaning", "left", "."]
    assert "For “six”, 78% of the attention goes to 4 of the 16 patches" in sentence.inner_text()
    words.nth(4).hover()
    assert "For “thin”" in sentence.inner_text()
    assert film.locator(".gf-words h4").inner_text() == "After “a six, written” comes"
    page.mouse.move(0, 0)
    words.nth(1).focus()
    page.keyboard.press("End")
    assert "For “.”" in sentence.inner_text()
    page.keyboard.press("ArrowLeft")
    assert "“left”" in sentence.inner_text()
    page.keyboard.press("Escape")
    assert "“six”" in sentence.inner_text()
    film.get_by_text("One head at a time").click()
    heads = film.get_by_role("img").nth(1)
    heads.focus()
    for key in ("Home", "PageDown", "PageDown", "Enter"):
        page.keyboard.press(key)
    words.nth(7).hover()
    assert "For “left”, this head gives one patch" in sentence.inner_text()
    big = film.get_by_role("img").first
    big.focus()
    page.keyboard.press("ArrowRight")
    assert "attention weight" in film.locator(".gf-readout").inner_text()
    film.get_by_role("button", name="Table").click()
    assert film.locator(".gf-table tbody tr").count() == 9
    page.wait_for_timeout(300)
    assert page.sent == []


def test_the_cut_is_moved(visit: Callable[..., Any]) -> None:
    page = visit("captions?swap_word=2")
    film = figure(page, "The picture is changed after 2 words")
    film.scroll_into_view_if_needed()
    assert film.locator(".gf-caption .cut").count() == 1
    page.sent.clear()
    film.locator(".gf-caption button").nth(0).hover()
    assert "of the first picture" in film.locator(".gf-readout").inner_text()
    film.locator(".gf-caption button").nth(4).hover()
    assert "of the second picture" in film.locator(".gf-readout").inner_text()
    page.wait_for_timeout(200)
    assert page.sent == []
    exhibit(page, "swap").get_by_role("slider", name="Words written before the change").focus()
    page.keyboard.press("ArrowLeft")
    figure(page, "The picture is changed after 1 word").wait_for()
    settle(page)
    address_has(page, "swap_word=1")
