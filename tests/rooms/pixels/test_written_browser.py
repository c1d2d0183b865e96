"""The film of completions in a real browser: played, stepped, scrubbed and looked into without asking the server."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has, exhibit, figure, settle, too_wide


def test_pictures_grow_and_every_pixel_tells_its_choices(visit: Callable[..., Any]) -> None:
    page = visit("pixels")
    film = figure(page, "16 completions of held-out digit")
    film.scroll_into_view_if_needed()
    film.locator(".level").first.wait_for()
    page.wait_for_timeout(300)
    page.sent.clear()
    stage, said = film.locator(".gf-stage"), film.locator(".gf-panel")
    assert "32 of 32 written" in film.locator("output").inner_text() and "Its most open pixel" in said.inner_text()
    stage.focus()
    page.keyboard.press("Home")
    assert "0 of 32 written" in film.locator("output").inner_text() and "was given" in said.inner_text()
    page.keyboard.press("ArrowRight")
    assert "Picture 1, pixel 33 of 64, row 5, column 1" in said.inner_text()
    page.keyboard.press("ArrowDown")
    assert "Picture 2, pixel 33" in said.inner_text() and film.locator(".level.drawn").count() == 1
    film.locator("input[type=range]").fill("20")
    assert "pixel 52 of 64, row 7, column 4" in said.inner_text()
    stage.focus()
    page.keyboard.press("End")
    box = stage.bounding_box()
    stage.click(position={"x": 20, "y": 80})  # the real picture is no sample, and is not chosen
    assert "Picture 2" in said.inner_text()
    page.mouse.move(box["x"] + 82 + 4.5 * 9, box["y"] + 18 + 5.5 * 9)  # pixels of 9, tiles 10 apart
    assert "Picture 1, pixel 45 of 64, row 6, column 5" in said.inner_text()
    page.mouse.move(0, 0)
    film.get_by_role("button", name="Play (Space)").click()
    film.locator("output", has_text=re.compile(r"^([1-9]|[12]\d) of")).wait_for()
    film.get_by_role("button", name="Pause (Space)").click()
    film.get_by_role("button", name="Table").click()
    assert film.locator("tbody tr").count() == 32
    page.wait_for_timeout(200)
    assert page.sent == []


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1024, False)])
def test_nothing_is_wider_than_the_screen(visit: Callable[..., Any], width: int, dark: bool) -> None:
    page = visit(
        "pixels?orders_guess=Just+show+me&fill_rows=2&fill_temperature=1&quantise_colors=512", width=width, dark=dark
    )
    assert too_wide(page) <= 0
    settle(page)
    film = figure(page, "16 completions of held-out digit")
    assert film.locator(".gf-stage").bounding_box()["width"] <= width
    wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert film.locator(".level").count() == 8
    assert film.locator(".gf-pixels, .gf-panel, .level, .bars").evaluate_all(wide) == 0
    assert exhibit(page, "quantise").locator(".gf-two, .gf-chipset").evaluate_all(wide) == 0
    if width == 390:
        what_is_measured(page)


def what_is_measured(page: Any) -> None:
    """The probe and N squared answer their controls, and the widest formula fits."""
    cost, probe = exhibit(page, "quadratic"), exhibit(page, "probe")
    cost.get_by_role("radio", name="4", exact=True).or_(cost.get_by_text("4", exact=True)).first.click()
    cost.get_by_text("3,137 tokens").first.wait_for()
    formula = cost.locator(".katex").last
    room = formula.locator("xpath=ancestor::*[@data-testid='stElementContainer'][1]")
    assert formula.bounding_box()["width"] <= room.bounding_box()["width"]
    assert "Best: " in probe.inner_text() and probe.locator("canvas, svg.marks").count() > 0
    probe.get_by_text("the last", exact=True).click()
    settle(page)
    address_has(page, "probe_pool=the+last")
    assert "Best: " in probe.inner_text()
