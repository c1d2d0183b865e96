"""The decoder room in a real browser: pointing, stepping and scrubbing stay there, and agree with the server."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import figure, until


def test_pictures_answer_by_themselves_and_a_click_chooses_the_token_that_is_changed(visit: Callable[..., Any]) -> None:
    page = visit("decoder?open=all")
    page.locator("figure.gf[data-drawn]").nth(5).wait_for()
    page.locator(".st-key-gf-panel-frozen-step button", has_text="Formula").click()
    page.locator(".st-key-gf-exhibit-frozen-step .katex-display").last.wait_for()
    page.sent.clear()
    # The mean of the losses is added up in the browser and set by the server: both say the same.
    lesson = figure(page, "One window, and what the model is asked at each position")
    lesson.scroll_into_view_if_needed()
    mean = re.search(r"= ([\d.]+) nats", lesson.locator(".gf-mean").inner_text())
    assert mean is not None
    formula = page.locator(".st-key-gf-exhibit-frozen-step .katex-display annotation").last.text_content()
    assert formula is not None and formula.strip().endswith(f"= {mean[1]}")
    stage, said = lesson.locator(".gf-stage"), set()
    stage.focus()
    for key in ("Home", "ArrowRight", "End"):
        page.keyboard.press(key)
        said.add(lesson.locator(".gf-readout").inner_text())
    assert len(said) == 3 and any("answer is “.”" in one for one in said)
    # A probability out of a logit: browser and table.
    row = figure(page, "After “")
    row.scroll_into_view_if_needed()
    row.get_by_role("group").first.focus()
    page.keyboard.press("ArrowDown")
    line = row.locator("tbody tr.on td").all_inner_texts()
    assert row.locator(".gf-formula").inner_text().split()[-1] == line[3]
    film = figure(page, "Each layer's favorite at each position, over the training")
    film.scroll_into_view_if_needed()
    assert "step 500" in film.locator("output").inner_text()
    film.get_by_role("slider", name="Training step").focus()
    page.keyboard.press("Home")
    assert film.locator("output").inner_text().startswith("step 0")
    film.get_by_role("button", name="rank of the true token").click()
    film.locator(".gf-stage").focus()
    page.keyboard.press("ArrowUp")
    assert film.locator(".gf-readout").inner_text().startswith("after layer 2")
    film.get_by_role("button", name="Table").click()
    assert film.locator("tbody tr").count() == 5
    page.wait_for_timeout(300)
    assert page.sent == []
    cells = figure(page, "With the causal mask")
    cells.scroll_into_view_if_needed()
    cells.get_by_role("img").first.focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.locator(".st-key-gf-exhibit-leak-test").get_by_text(re.compile("positions before it")).wait_for()
    until(page, "location.search.includes('leak_place=')")
    assert (
        page.locator(".st-key-gf-exhibit-leak-test").get_by_text(re.compile(r"notice with the mask, and \d+")).count()
    )
