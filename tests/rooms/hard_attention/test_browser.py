"""The room of soft and hard attention in a real browser: a question is picked by keys."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import exhibit, figure, settle


def test_pointing_asks_the_server_nothing_and_keys_pick_a_question(open_page: Callable[..., Any], url: str) -> None:
    page = open_page(f"{url}/choosing")
    settle(page)
    gradients = exhibit(page, "score-gradients")
    gradients.get_by_text(re.compile("Asked for M,")).wait_for()
    stage = figure(page, "Its weights after").locator(".gf-stage").first
    stage.scroll_into_view_if_needed()
    page.sent.clear()
    stage.hover(position={"x": 120, "y": 90})
    page.wait_for_timeout(300)
    assert page.sent == []
    page.mouse.move(5, 5)
    stage.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    gradients.get_by_text(re.compile("Asked for (?!M)[A-P],")).wait_for()
