"""The room of n-grams in a real browser: pointing, keys and clicks in its three pictures; a phone."""

import re
from collections.abc import Callable
from typing import Any

from tests.browser.rooms import address_has, figure, settle


def readout(picture: Any) -> str:
    return " ".join(picture.locator(".gf-readout").inner_text().split())


def test_pointing_asks_the_server_nothing_and_a_click_shows_places(visit: Callable[..., Any]) -> None:
    page = visit("ngrams")
    page.get_by_text("Punctuation, too").click()
    settle(page)
    table, texts, factors = (
        figure(page, name) for name in ("Which words follow which", "What each order", "Each token")
    )
    page.get_by_role("tab", name="What they write").click()
    page.sent.clear()
    table.get_by_role("img").focus()
    page.keyboard.press("ArrowLeft")  # from the fullest cell
    assert "“.”, “⏎” came 901 of 6,601 times, so the model gives it 14%" in table.locator(".gf-sentence").inner_text()
    texts.locator("[data-i]").nth(3).hover()
    assert "was drawn with probability" in readout(texts)
    factors.locator("td[data-i='29']").hover()
    heads = factors.locator("thead th")
    seen = [heads.nth(1 + c).get_attribute("class") for c in range(7)]
    assert seen == ["unseen"] * 3 + ["seen"] * 2 + ["now", "later"]
    told = r"after 2 of the 5 tokens before it; the other 3 don't count.*c\(h, w\) / c\(h\) ="
    assert re.search(told, readout(factors))
    factors.locator(".gf-factor-stage").focus()
    page.mouse.move(0, 0)
    for key in ("ArrowUp", "ArrowRight", "Enter", "Escape"):
        page.keyboard.press(key)
    page.wait_for_timeout(400)
    assert page.sent == []
    table.get_by_role("img").focus()
    for key in ("Escape", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    table.locator(".gf-places mark").nth(4).wait_for()
    assert set(table.locator(".gf-places mark").all_inner_texts()) == {".⏎"}
    address_has(page, "gram_cell=0-0")


def test_smoothing_takes_infinity_and_zero_away(visit: Callable[..., Any]) -> None:
    page = visit("ngrams?order_smoothing=mle&markov_sentence=courage", width=1024)
    product, stage = (figure(page, "Each token").locator(one) for one in ("td.result.first", ".gf-factor-stage"))
    right = [one.first.evaluate("one => one.getBoundingClientRect().right") for one in (product, stage)]
    assert right[0] <= right[1] + 1  # the product is in sight, however many factors there are
    far, chain = (page.locator(f".st-key-gf-exhibit-{name}") for name in ("how-far-back", "factor-by-factor"))
    far.get_by_text(re.compile("of the 6 are infinite")).wait_for()
    assert chain.locator("td.zero").count() > 6
    far.get_by_text("Kneser-Ney", exact=True).click()
    chain.get_by_text("Kneser-Ney", exact=True).click()
    far.get_by_text(re.compile("as unsure as between")).wait_for()
    settle(page)
    assert far.get_by_text(re.compile("of the 6 are infinite")).count() == 0
    assert chain.locator("td.zero").count() == 0
    address_has(page, "order_smoothing=kneser_ney")
