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
    words, readout = film.locator(".gf-caption button"), film.locator(".gf-readout")
    assert words.all_inner_texts() == ["a", "seven", ",", "written", "thin", "and", "leaning", "right", "."]
    assert "Word 2 of 9: “seven”" in readout.inner_text()
    words.nth(4).hover()
    assert "Word 5 of 9: “thin”" in readout.inner_text() and "Head 0.3 reads" in readout.inner_text()
    assert film.locator(".gf-words h4").inner_text() == "After “a seven, written” comes"
    page.mouse.move(0, 0)
    words.nth(1).focus()
    page.keyboard.press("End")
    assert "Word 9 of 9" in readout.inner_text()
    page.keyboard.press("ArrowLeft")
    assert "“right”" in readout.inner_text()
    page.keyboard.press("Escape")
    assert "Word 2 of 9" in readout.inner_text()
    heads = film.get_by_role("img").nth(1)
    heads.focus()
    for key in ("Home", "PageDown", "PageDown", "Enter"):
        page.keyboard.press(key)
    words.nth(7).hover()
    assert "Head 0.0 reads" in readout.inner_text() or "Head 0.1 reads" in readout.inner_text()
    big = film.get_by_role("img").first
    big.focus()
    page.keyboard.press("ArrowRight")
    assert "attention weight" in readout.inner_text()
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
