"""The fine-tuning exhibits in a real browser: pointing asks nothing, another number of labels is drawn."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, settle, too_wide


def test_labels_and_pointing(visit: Callable[..., Any]) -> None:
    page = visit("encoder", width=390)
    assert too_wide(page) <= 0
    judge = exhibit(page, "finetune")
    judge.get_by_role("radio", name="1,000").click()
    judge.get_by_text(re.compile("With 1,000 labels: the labeled reviews")).wait_for()
    settle(page)
    address_has(page, "tune_labels=")
    heads = figure(page, "Where <class> looks, every head of layer 0")
    heads.scroll_into_view_if_needed()
    page.sent.clear()
    heads.get_by_role("img").first.focus()
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert re.search(r"0\.\d|1\.0", heads.locator(".gf-readout").inner_text())
    page.wait_for_timeout(300)
    assert page.sent == []
