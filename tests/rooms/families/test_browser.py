"""The family table in a real browser: parts and maps answer by themselves."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import figure


def test_pointing_asks_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("table?open=who-reads")
    plans = figure(page, "One block of each family")
    plans.scroll_into_view_if_needed()
    told = plans.locator(".gf-readout")
    page.sent.clear()
    plans.get_by_role("button", name="Encoder, Self-attention").hover()
    assert "9,408 parameters" in told.inner_text() and "may read every other" in told.inner_text()
    plans.get_by_role("button", name="Decoder, Norm").first.focus()
    seen = []
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        seen.append(told.inner_text())
    assert len(set(seen)) == 5
    assert "reads back only" in seen[0] and "reads everything" in seen[1] and "only here" in seen[4]
    assert "the encoder's last vectors" in seen[4]
    page.keyboard.press("Escape")
    assert "Point at a part" in told.inner_text()
    plans.get_by_role("button", name="Table").click()
    assert plans.locator("tbody tr").count() == 14
    cells = figure(page, "answer (rows) reads source")
    cells.scroll_into_view_if_needed()
    cells.get_by_role("img").first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_timeout(400)
    assert page.sent == []
