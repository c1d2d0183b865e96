"""The room of tokens in a real browser: hovering, scrubbing and stepping ask nobody; clicks move the token."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests import tiny_model
from tests.browser.rooms import ROOT, figure, settle, too_wide

FILM = "low × 5"


@pytest.fixture(scope="module")
def url(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("data")
    tiny_model.write(folder / "models" / "stories")
    return serve(
        ROOT / "app.py",
        GLASSFORMER_DATA=str(folder),
        GLASSFORMER_TRAINING="off",
        TIKTOKEN_CACHE_DIR=str(tmp_path_factory.mktemp("no-vocabulary")),
    )


def told(page: Any) -> str:
    text: str = figure(page, FILM).locator(".gf-merge").inner_text()
    return text


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_the_room_opens_alive_and_fits_the_screen(visit: Callable[..., Any], width: int, dark: bool) -> None:
    page = visit("tokens", width=width, dark=dark)
    assert page.locator("figure.gf").count() == 9
    assert page.locator('[data-testid="stAlert"]').count() == 0
    assert not page.get_by_text("GPT-2 is not on this machine").count()  # nobody has asked for it
    assert too_wide(page) <= 0


def test_the_film_is_stepped_scrubbed_and_played_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("tokens")
    film, slider = figure(page, FILM), page.get_by_role("slider", name="Merges done")
    film.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    assert told(page).startswith("No merges yet")
    film.get_by_role("button", name="One merge on").click()
    assert told(page).startswith("Merge 1 glued “e” and “s”: the pair was side by side 9 times.")
    assert film.locator(".gf-cut .new").count() == 9
    assert film.locator(".gf-cut .half.left").count() == film.locator(".gf-cut .half.right").count() == 9
    slider.press("End")
    assert "Nothing is left to merge" in told(page)
    assert film.locator(".gf-cut span").count() == 16
    assert film.locator(".gf-cut .half").count() == 0
    stage = film.locator(".gf-stage")
    stage.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.input_value() == "14"
    page.keyboard.press("Home")
    assert slider.input_value() == "0"
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
    film.locator(".gf-cut span").first.hover()
    assert "number 108" in film.locator(".gf-readout").inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []


def test_a_token_and_its_number_light_up_together(visit: Callable[..., Any]) -> None:
    page = visit("tokens")
    row = figure(page, "Our BPE")
    row.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.sent.clear()
    row.locator(".gf-ids span").nth(2).hover()
    assert row.locator(".gf-chips .on").get_attribute("data-i") == "2"
    row.locator(".gf-chips span").nth(4).hover()
    assert row.locator(".gf-ids .on").get_attribute("data-i") == "4"
    page.wait_for_timeout(300)
    assert page.sent == []


def test_a_click_on_a_row_moves_the_token(visit: Callable[..., Any]) -> None:
    page = visit("tokens")
    stage = figure(page, "X = T E").locator(".gf-stage").first
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] / 2, "y": box["height"] - 6})
    last = page.locator('[data-testid="stSlider"] input[aria-label="Token"]')
    page.wait_for_url(re.compile("hot_token="))
    settle(page)
    assert last.input_value() == last.get_attribute("max")
