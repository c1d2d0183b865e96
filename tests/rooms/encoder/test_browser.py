"""The room in a real browser: a batch is walked by keys, a word hidden by click and by Enter, pointing asks nobody."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, exhibit, figure, settle, sheet


def test_the_batch_is_walked_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("encoder")
    batch = figure(page, "Eight rows as the model reads them, seed 0")
    batch.scroll_into_view_if_needed()
    page.sent.clear()
    batch.locator("[role=group][tabindex]").focus()
    told = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "End", "Home"):
        page.keyboard.press(key)
        told.append(batch.locator(".gf-readout").inner_text())
    assert told[0].startswith("Row 1, position 0") and "never chosen" in told[0]
    assert told[2].startswith("Row 2, position 1") and told[3].startswith("Row 2, position 23")
    batch.locator(".tok", has_text="<mask>").first.hover()
    assert "Masked: it is asked for" in batch.locator(".gf-readout").inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []
    page.get_by_role("button", name="Roll again").click()
    figure(page, "Eight rows as the model reads them, seed 1").wait_for()
    address_has(page, "lab_seed=1")


def test_words_are_hidden_by_click_and_by_key(visit: Callable[..., Any]) -> None:
    page = visit("encoder")
    row = exhibit(page, "gaps").locator("figure.gf")
    row.scroll_into_view_if_needed()
    assert row.locator(".gf-cards section").count() == 2
    assert "guesses 2 of 2 hidden words right" in row.locator(".gf-sentence").inner_text()
    page.sent.clear()
    row.get_by_role("button", name="apple", exact=True).hover()
    assert "“apple” is read here" in row.locator(".gf-readout").inner_text()
    row.get_by_role("button", name="an, hidden").focus()
    page.wait_for_timeout(200)
    assert page.sent == []
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    card = row.locator(".gf-cards section:not(.old)", has_text="it was: apple")
    card.wait_for()
    assert re.search(r"cake\s*\d", card.inner_text())
    settle(page)
    address_has(page, "gap_places=14.18.19")
    row.get_by_role("button", name="hungry, hidden").click()
    row.get_by_role("button", name="hungry", exact=True).wait_for()
    row.get_by_role("button", name="Show all words").click()
    exhibit(page, "gaps").get_by_text("Nothing is hidden: the model").wait_for()
    address_has(page, "gap_places=none")
    assert row.locator(".gf-cards section").count() == 0
    row.get_by_role("button", name="dog", exact=True).first.click()
    row.locator(".gf-cards section:not(.old)", has_text="it was: dog").wait_for()
    assert "the model guesses “" in row.locator(".gf-sentence").inner_text()
    page.keyboard.press("Escape")
    exhibit(page, "gaps").get_by_text("Nothing is hidden: the model").wait_for()


def test_labels_and_pointing(visit: Callable[..., Any]) -> None:
    page = visit("encoder?open=finetune,class-attention", width=390)
    judge = sheet(page, "finetune", "Set")
    judge.get_by_role("radio", name="1,000").click()
    page.keyboard.press("Escape")
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
