"""The room of soft and hard attention in a real browser: a guess, a question picked, repairs switched on."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, settle


def test_a_guess_a_question_and_the_repairs(open_page: Callable[..., Any], url: str) -> None:
    page = open_page(f"{url}/choosing")
    settle(page)
    ways = exhibit(page, "three-ways")
    ways.get_by_text("soft only", exact=True).click()
    ways.get_by_text(re.compile("You guessed: soft only. The answer: soft and sampled")).wait_for()
    gradients = exhibit(page, "score-gradients")
    gradients.get_by_text(re.compile("Asked for M,")).wait_for()
    stage = figure(page, "Weights of the model trained").locator(".gf-stage").first
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
    lecture = exhibit(page, "fix-the-code")
    lecture.get_by_text("Each row of weights adds up to 10.000").wait_for()
    lecture.get_by_text("Ask the encoder", exact=True).click()
    lecture.get_by_text(re.compile("do not run together")).wait_for()
    lecture.get_by_text("One weight per source token", exact=True).click()
    lecture.get_by_text("Each row of weights adds up to 1.000").wait_for()
    address_has(page, "fix_encoder=true", "fix_axis=true")
