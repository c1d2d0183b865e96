"""The map of the model in a browser: played, gone into down to one number, changed and undone, rewound; no messages."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from core.inspect.reading.model_and_text import read
from core.rooms.heads.compute import ablation
from tests.browser.fixtures import counted
from tests.browser.rooms import settle

TEXT = "Anna had her hat and Sam had his kite. The wind took the"


def test_the_whole_model_without_the_server(visit: Callable[..., Any], url: str) -> None:
    page = visit("model_map")
    page.context.add_cookies([{"name": "gf_depth", "value": "story", "url": url}])  # as a newcomer
    counted(page).reload()
    settle(page)
    figure = page.locator("figure.gf", has=page.locator(".gf-map"))
    caption = figure.locator(".gf-map-caption")
    caption.get_by_text("the model expects").wait_for()
    page.sent.clear()

    page.locator(".gf-choice textarea").fill(TEXT)
    figure.and_(page.locator(f"[data-text={json.dumps(TEXT)}]")).wait_for()
    given = read("stories", TEXT, 64)
    before = given.attention.logits[-1]
    best = int(before.argmax())
    share = float(np.exp(before - before.max())[best] / np.exp(before - before.max()).sum())
    assert f"“{given.vocabulary[best].strip()}” ({100 * share:.0f}%)" in caption.inner_text()

    def button(name: str) -> Any:
        return figure.get_by_role("button", name=name).first

    button("One step on").click()
    first = int(figure.locator(".gf-controls output").inner_text().split(" of ")[1])
    for _ in range(first - 1):
        button("One step on").click()
    caption.get_by_text("It wrote").wait_for()

    for name in ("Layer 1:", "Head 1:"):
        button(name).evaluate("one => one.click()")
    figure.locator(".gf-matrix", has_text="Weights").click()
    grid = figure.locator(".gf-inside .gf-stage")
    page.mouse.move(0, 0)
    grid.focus()
    page.keyboard.press("ArrowLeft")  # from the strongest of the row that is followed
    page.keyboard.press("Enter")
    told = figure.locator(".gf-inside .gf-step.total").inner_text()
    row = given.attention.weights[1, 1, -1]
    assert abs(float(re.findall(r"[\d.]+$", told)[0]) - float(row[row.argmax() - 1])) < 1e-4

    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    button("Switch this head off").click()
    off = ablation.knock_out(given.model, given.ids, [(1, 1)], "zero", given.attention).probabilities_after[-1]
    caption.get_by_text(f"to {100 * float(off[best]):.0f}%").wait_for()
    page.keyboard.press("Home")
    button("Undo").click()
    caption.get_by_text("the model expects").wait_for()

    button("Rewind its training").click()
    figure.get_by_text("step 8,000, loss").wait_for()
    figure.get_by_label("Training step").evaluate("one => { one.value = 0; one.dispatchEvent(new Event('input')); }")
    figure.get_by_text("step 0", exact=True).wait_for()
    assert page.sent == []
