"""The training of the ViT in a real browser: the mistakes are read by keys, and another one's are asked for."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, settle, too_wide


def test_mistakes_are_read_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("patches", width=390)
    mistakes = figure(page, "Mistakes of the ViT")
    mistakes.scroll_into_view_if_needed()
    page.sent.clear()
    mistakes.get_by_role("img").first.focus()
    page.keyboard.press("ArrowRight")
    assert "a 3; the ViT says 9 with probability 0." in mistakes.inner_text()
    confusions = figure(page, "Confusions of the ViT")
    confusions.get_by_role("img").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert page.sent == []
    exhibit(page, "training").get_by_role("radio", name="logistic regression").click()
    figure(page, "Mistakes of the logistic regression").wait_for()
    settle(page)
    address_has(page, "train_who=logistic")
    assert too_wide(page) == 0
