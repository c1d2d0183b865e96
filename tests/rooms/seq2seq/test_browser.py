"""The room of sequence to sequence in a real browser: hover, film and keys stay there; a row is set and undone."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has, address_has_no, figure, settle


def test_pointing_and_scrubbing_ask_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("seq2seq?race_guess=Just+show+me")
    film = figure(page, "Where it reads, during training")
    film.scroll_into_view_if_needed()
    page.sent.clear()
    slider = film.get_by_role("slider", name="Training step")
    assert film.locator("output").inner_text().startswith("step 350")
    slider.focus()
    for _ in range(14):
        page.keyboard.press("ArrowLeft")
    assert film.locator("output").inner_text().startswith("step 0")
    cells = figure(page, "Weights of the source, for each output token")
    cells.scroll_into_view_if_needed()
    stage = cells.get_by_role("img").first
    stage.focus()
    told = cells.locator(".gf-formula").first
    seen = set()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
        seen.add(told.inner_text())
    assert len(seen) == 3
    # The browser's softmax is the model's: the weight in the formula is the number that the table shows.
    at = re.search(r"writing “(\S+)” \((\d+)\), reading “(\S+)” \((\d+)\)", cells.locator(".gf-split").inner_text())
    assert at is not None
    weight = float(re.findall(r"\d\.\d+", told.inner_text())[-1])
    cells.get_by_role("button", name="Table").click()
    row = cells.locator("tbody tr").nth(int(at[2])).locator("td").nth(int(at[4]))
    assert float(row.inner_text()) == pytest.approx(weight, abs=2e-4)
    page.wait_for_timeout(400)
    assert page.sent == []


def test_a_row_is_set_and_undone(visit: Callable[..., Any]) -> None:
    page = visit("seq2seq?open=override")
    exhibit = page.locator(".st-key-gf-exhibit-override")
    exhibit.get_by_role("button", name="Set it").click()
    exhibit.get_by_text(re.compile("Step 3 puts 100%")).wait_for()
    exhibit.get_by_text(re.compile("noiatnetta")).first.wait_for()
    address_has(page, "over_row=")
    settle(page)
    exhibit.get_by_role("button", name="Undo", exact=True).first.click()
    exhibit.get_by_text(re.compile("Nothing is set")).wait_for()
    address_has_no(page, "over_row=")
