"""The engine in real browsers: a model gives torch's numbers, and who types asks the server nothing."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from core.browser import weights
from core.inspect.model_inputs.model_and_text import load_model_and_text
from tests.browser.firefox import Firefox
from tests.browser.fixtures import counted
from tests.browser.rooms import READY, settle

CLOSE = 1e-4  # of the largest logit
TEXT = "Ben had his new blue kite with him. The wind was strong. It took the"
FORWARD = """Promise.all(['open_model', 'forward'].map(name => import(`/widgets/engine/${name}.js`)))
    .then(([{openModel}, {forward}]) => openModel(%s).then(model => {
        const {ids} = model.tokenizer.read(%s, 96);
        return {ids, logits: [...forward(model, {ids}).get('logits').data]};
    }))"""


def _check(found: dict[str, Any]) -> None:
    given = load_model_and_text("stories", TEXT)
    assert found["ids"] == list(given.ids)
    with torch.no_grad():
        logits = given.model(torch.tensor([given.ids]))[0].numpy()
    assert np.abs(np.array(found["logits"]).reshape(logits.shape) - logits).max() <= CLOSE * np.abs(logits).max()


def _asked() -> str:
    return FORWARD % (json.dumps(weights.offer_weights(load_model_and_text("stories", TEXT).key)), json.dumps(TEXT))


def test_a_pass_in_chromium(visit: Callable[..., Any]) -> None:
    _check(visit("").evaluate(_asked()))


def test_a_pass_in_firefox(firefox: Firefox, url: str) -> None:
    firefox.open(url)
    firefox.until(f"document.querySelector({json.dumps(READY)}) !== null")
    _check(firefox.evaluate(_asked()))


def test_who_types_on_home_asks_the_server_nothing(open_page: Callable[..., Any], url: str) -> None:
    page = counted(open_page(url))
    page.context.add_cookies([{"name": "gf_depth", "value": "story", "url": url}])  # as a newcomer
    page.reload()
    settle(page)
    field = page.locator(".gf-choice textarea")
    figure = page.locator("figure.gf", has=page.locator(".gf-sheets"))
    figure.locator(".gf-expects", has_text="It expects").wait_for()
    page.sent.clear()
    field.fill("")
    field.press_sequentially(TEXT, delay=20)
    figure.and_(page.locator(f"[data-text={json.dumps(TEXT)}]")).wait_for()
    given = load_model_and_text("stories", TEXT, 24)
    expected = given.vocabulary[int(given.attention.logits[-1].argmax())].strip()
    assert f"“{expected}”" in figure.locator(".gf-expects").inner_text()
    page.wait_for_function("text => new URLSearchParams(location.search).get('text') === text", arg=TEXT)
    canvas = figure.locator("canvas")
    canvas.hover(position={"x": 200, "y": 300})
    canvas.press("ArrowLeft")
    assert page.sent == []
    page.reload()
    settle(page)
    figure.and_(page.locator(f"[data-text={json.dumps(TEXT)}]")).wait_for()
    assert field.input_value() == TEXT


def test_an_unknown_word_is_named_and_known_ones_are_offered(open_page: Callable[..., Any], url: str) -> None:
    page = counted(open_page(url))
    page.reload()
    settle(page)
    figure = page.locator("figure.gf", has=page.locator(".gf-sheets"))
    field = page.locator(".gf-choice textarea")
    field.fill("Zaphod saw ANNA")
    told = figure.locator(".gf-expects")
    told.get_by_text("It reads “ANNA” as “Anna”. It reads “Zaphod” letter by letter.").wait_for()
    word = figure.locator(".gf-instead button").first
    name = word.inner_text()
    word.click()
    page.wait_for_function(
        "text => document.querySelector('.gf-choice textarea').value === text", arg=f"{name} saw ANNA"
    )
    figure.locator(".gf-instead button").first.wait_for(state="detached")
    assert "Zaphod" not in told.inner_text()


def test_the_name_of_a_sheet_leads_to_its_room(open_page: Callable[..., Any], url: str) -> None:
    page = open_page(url)
    settle(page)
    page.locator(".gf-sheets a", has_text="Embeddings").click()
    page.get_by_role("heading", name="Embeddings", level=1).wait_for()
    assert page.url.endswith("/embeddings")
