"""The room of tokens in a real browser: hovering, scrubbing and stepping ask nobody; clicks move the token."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import figure


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


def test_the_film_is_stepped_scrubbed_and_played_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("tokens")
    film, slider = (
        page.locator("figure.gf", has=page.locator(".gf-cut")).first,
        page.get_by_role("slider", name="Merges done"),
    )
    told = film.locator(".gf-merge")
    film.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    assert told.inner_text().startswith("Merge 4 glued “lo” + “w”, side by side 7 times, into “low”: token 259.")
    slider.press("Home")
    assert told.inner_text().startswith("No merges yet")
    assert told.inner_text().endswith("Next: “e” + “s”, 9 times. (A tie with “s” + “t”; a fixed order decides.)")
    film.get_by_role("button", name="One merge on").click()
    assert told.inner_text().startswith("Merge 1 glued “e” + “s”, side by side 9 times, into “es”: token 256.")
    assert film.locator(".gf-cut .new").count() == 9
    assert film.locator(".gf-cut .left").count() == film.locator(".gf-cut .right").count() == 9
    slider.press("End")
    assert "Nothing is left to merge" in told.inner_text()
    assert film.locator(".gf-cut [data-i]").count() == 16
    assert film.locator(".gf-cut .left").count() == 0
    stage = film.locator(".gf-stage")
    stage.focus()
    for key, number in (("ArrowLeft", "14"), ("Home", "0")):
        page.keyboard.press(key)
        assert slider.input_value() == number
    stage.hover(position={"x": 200, "y": 60})
    page.mouse.down()
    page.mouse.move(stage.bounding_box()["x"] + 300, stage.bounding_box()["y"] + 60)
    page.mouse.up()
    assert int(slider.input_value()) > 5
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_timeout(900)
    page.keyboard.press(" ")
    assert int(slider.input_value()) >= 1
    film.locator(".gf-cut [data-i]").first.hover()
    assert "number 108" in film.locator(".gf-readout").inner_text()
    row = figure(page, "Our BPE")
    row.scroll_into_view_if_needed()
    for pointed, lit, place in ((".gf-ids", ".gf-chips", 2), (".gf-chips", ".gf-ids", 4)):  # a token and its number
        row.locator(f"{pointed} [data-i]").nth(place).hover()
        assert row.locator(f"{lit} .on").get_attribute("data-i") == str(place)
    page.wait_for_timeout(300)
    assert page.sent == []


def test_a_click_on_a_row_moves_the_token_everywhere_and_keeps_its_column(visit: Callable[..., Any]) -> None:
    page = visit("tokens?depth=numbers")
    assert not page.get_by_text("GPT-2 is not on this machine").count()  # nobody has asked for it
    picture = figure(page, "X = T E")
    stage = picture.locator(".gf-stage").first
    stage.scroll_into_view_if_needed()
    page.sent.clear()
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] / 2, "y": box["height"] - 6})
    page.wait_for_url(re.compile("hot_token="))
    last = page.get_by_role("slider", name="Token", exact=True)
    assert last.input_value() == last.get_attribute("max")
    page.mouse.move(0, 0)
    assert "coordinate 0 " not in picture.locator(".gf-readout").inner_text()
    copied = figure(page, "One row is copied")
    copied.scroll_into_view_if_needed()
    chips = copied.locator("button[data-i]")
    assert chips.last.get_attribute("aria-pressed") == "true"
    chips.last.focus()
    page.keyboard.press("ArrowLeft")  # and the next chip has the focus, so that one can go on
    page.keyboard.press("ArrowLeft")
    assert int(last.input_value()) == int(last.get_attribute("max")) - 2
    page.wait_for_timeout(300)
    assert not re.search(r"-[01]\b", page.url.partition("view=")[2])  # what a choice says is said once
    assert page.sent == []
