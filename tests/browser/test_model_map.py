"""The map of the model in a browser: played, gone into down to one number, changed and undone, rewound; no messages."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms.heads.compute import ablation
from tests.browser.firefox import Firefox
from tests.browser.fixtures import counted
from tests.browser.rooms import settle, until

TYPE = """text => {
    const field = document.querySelector('.gf-choice textarea');
    field.value = text;
    field.dispatchEvent(new Event('input'));
}"""
CAPTION = (
    "(document.querySelectorAll('main > section')[1]?.shadowRoot?.querySelector('.gf-map-caption')?.innerText ?? '')"
)
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
    given = load_model_and_text("stories", TEXT, 64)
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
    caption.get_by_text("without your changes").wait_for()
    button("Back to my text").click()
    caption.get_by_text("the model expects").wait_for()
    assert page.sent == []


def test_the_map_taken_home_runs_from_a_file(visit: Callable[..., Any], firefox: Firefox, tmp_path: Path) -> None:
    page = visit("model_map")
    page.get_by_role("radio", name="Download").or_(page.get_by_role("button", name="Download")).first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Web page (HTML)").click()
    file = tmp_path / "map.html"
    download.value.save_as(file)
    assert file.stat().st_size <= 3_000_000

    given = load_model_and_text("stories", TEXT, 64)
    best = given.vocabulary[int(given.attention.logits[-1].argmax())].strip()
    said = f"{CAPTION}.includes({json.dumps(f'expects “{best}” (100%)')})"
    alone = page.context.new_page()
    requests: list[str] = []
    alone.on("request", lambda one: requests.append(one.url[:80]))
    problems: list[str] = []
    alone.on("console", lambda one: problems.append(one.text))
    alone.goto(file.as_uri())
    until(alone, f"{CAPTION}.includes('expects')")
    alone.evaluate(TYPE, TEXT)
    until(alone, said)
    assert [one for one in requests if not one.startswith(("file:", "data:"))] == [] and problems == []
    alone.close()

    firefox.open(file.as_uri())
    firefox.until(f"{CAPTION}.includes('expects')")
    firefox.evaluate(f"({TYPE})({json.dumps(TEXT)})")
    firefox.until(said)
