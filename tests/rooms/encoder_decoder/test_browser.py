"""The room of the encoder-decoder in a real browser: the film steps and explains without the server."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has, figure, settle


def test_the_film_steps_and_explains_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("encoder_decoder?open=roles")
    film = figure(page, "Who asks, and who answers")
    film.scroll_into_view_if_needed()
    page.sent.clear()
    now, said = film.locator("output").first, film.locator(".gf-said")
    assert now.inner_text() == "2 of 10: lo"
    film.get_by_role("button", name="One output token on").click()
    assert now.inner_text() == "3 of 10: kano" and "just read lo and writes kano" in said.inner_text()
    assert "It reads dog most" in said.inner_text()
    before = film.locator(".gf-formula").inner_text()
    stage = film.locator(".gf-stage")
    stage.focus()
    page.keyboard.press("ArrowDown")
    other = film.locator(".gf-formula").inner_text()
    assert other != before
    page.keyboard.press("Escape")
    assert film.locator(".gf-formula").inner_text() == before
    # The browser's softmax of its own scores is the model's weight: the table has the numbers that were sent.
    parts = [float(one.replace("−", "-")) for one in re.findall(r"−?\d+\.\d+(?:e\+?\d+)?", before)]
    film.get_by_role("button", name="Table").click()
    row = film.locator(".gf-table tbody tr").nth(2).locator("td")
    weights = [float(row.nth(i).inner_text()) for i in range(1, 10)]
    assert sum(weights) == pytest.approx(1, abs=1e-3) and max(weights) == pytest.approx(parts[-1], abs=2e-4)
    film.get_by_role("button", name="Picture").click()
    film.get_by_role("combobox", name="Head of the cross-attention").select_option(label="0.1")
    assert film.locator(".gf-formula").inner_text() != before
    page.keyboard.press("Tab")
    page.wait_for_timeout(300)
    assert page.sent == []


def test_a_source_is_exchanged(visit: Callable[..., Any]) -> None:
    page = visit("encoder_decoder")
    room = page.locator(".st-key-gf-exhibit-swap")
    room.get_by_text("Neither translation.").wait_for()
    slider = room.get_by_role("slider").first
    slider.scroll_into_view_if_needed()
    slider.focus()
    page.keyboard.press("Home")
    room.get_by_text("It writes the translation of the second source.").wait_for()
    settle(page)
    address_has(page, "swap_at=0")
