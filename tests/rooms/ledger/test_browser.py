"""The ledger in a real browser: hovering and keys ask the server nothing, a flip changes only the nets."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, settle


def test_cells_explain_themselves_without_the_server_and_a_flip_changes_the_gpt(
    visit: Callable[..., Any], url: str
) -> None:
    page = visit("ledger")
    figure = exhibit(page, "ledger").locator("figure.gf").first
    behind = figure.locator(".gf-behind")
    assert re.search(r"GPT: probability of “·cup” 0\.9", behind.inner_text())
    assert "it reads" in behind.inner_text()
    page.sent.clear()
    figure.locator(".gf-stage").focus()
    page.keyboard.press("ArrowUp")
    assert "GRU" in behind.inner_text() and "48 numbers" in behind.inner_text()
    page.keyboard.press("ArrowUp")
    assert "“·cup” occurred 10 times after “.” “·It” “·is” “·the”, of 80 tokens there." in behind.inner_text()
    box = figure.locator(".gf-stage").bounding_box()
    for step in range(10):
        page.mouse.move(box["x"] + 60 + step * 20, box["y"] + 80 + step * 15)
    figure.locator("select").select_option("0.1")
    page.wait_for_timeout(300)
    assert page.sent == []
    before = figure.locator(".gf-totals tbody tr").all_inner_texts()
    exhibit(page, "ledger").get_by_text("empty", exact=True).first.click()
    page.wait_for_url(re.compile("ledger_ending=empty"))
    settle(page)
    last = figure.locator(".gf-totals tbody tr").last
    for _ in range(60):  # under load the picture may come a little after the script has run
        if last.inner_text() != before[-1]:
            break
        page.wait_for_timeout(250)
    after = figure.locator(".gf-totals tbody tr").all_inner_texts()
    assert before[:1] == after[:1] and before[-1] != after[-1]
    page.mouse.move(5, 5)
    figure.locator(".gf-stage").focus()
    page.keyboard.press("Escape")
    assert "GPT: probability of “·cup”" in behind.inner_text() and "“·cup” 0.9" not in behind.inner_text()
