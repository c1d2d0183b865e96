"""The room of strategies in a real browser: writing, pointing, changing columns, drawing again; a phone."""

import re
from collections.abc import Callable
from typing import Any

from core.rooms.strategies import order
from tests.browser.rooms import figure


def test_texts_explain_themselves_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("strategies?columns_n=12")
    texts = figure(page, "What follows")
    page.sent.clear()
    assert texts.locator("output").first.inner_text() == "12 of 12"
    assert texts.locator(".gf-text span:visible").count() == 12 * 6  # all is there before anybody presses play
    texts.get_by_role("slider", name="Tokens shown").fill("1")
    assert texts.locator(".gf-text span:visible").count() == 6
    texts.get_by_role("button", name="One token on").click()
    assert texts.locator("output").first.inner_text() == "2 of 12"
    texts.get_by_label("Speed").select_option("4")
    texts.get_by_role("button", name="Play").click()
    texts.locator("output", has_text="12 of 12").wait_for()
    detail = texts.locator(".gf-detail")
    texts.locator(".gf-text").nth(2).locator("span").nth(1).hover()
    assert "temperature 2, token 2:" in detail.inner_text() and "fell between" in detail.inner_text()
    texts.locator(".gf-text").first.focus()
    for key in ("Home", "ArrowRight"):
        page.keyboard.press(key)
    assert "greedy, token 2:" in detail.inner_text() and "nothing is drawn" in detail.inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []


def test_columns_are_added_edited_locked_and_reseeded(visit: Callable[..., Any]) -> None:
    page = visit("strategies?columns_n=8&columns=greedy~t2")
    texts = figure(page, "What follows")

    def column(name: str) -> None:
        """Wait until this column is drawn: only then does the picture hold what was asked for."""
        texts.locator("h4").get_by_text(name, exact=True).wait_for()

    texts.get_by_label("Add a column").select_option(label="beam 4")
    column("beam 4")
    beams = texts.get_by_role("spinbutton", name="beams")
    beams.fill("2")
    beams.press("Enter")
    column("beam 2")
    texts.get_by_role("button", name="Lock temperature 2").click()
    texts.get_by_role("button", name="Locked temperature 2").wait_for()
    locked = texts.locator(".gf-text").nth(1).inner_text()
    texts.get_by_label("Add a column").select_option(label="sampling")
    column("sampling")
    texts.get_by_role("button", name="New seeds", exact=True).click()
    texts.get_by_role("button", name="Seed 1 ↻ sampling").wait_for()
    assert texts.locator("output").first.inner_text() == "8 of 8"  # whoever wants little motion gets the whole text
    assert texts.locator(".gf-text").nth(1).inner_text() == locked
    page.wait_for_url(re.compile("t2x.*beam2.*softmaxs1"))
    texts.get_by_role("button", name="Remove greedy").click()
    page.wait_for_url(lambda address: "greedy" not in address)


def test_both_orders_of_the_knobs_follow_the_finger_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("strategies?columns_n=8&open=order-matters&depth=story")
    card = page.locator(".st-key-gf-exhibit-order-matters")
    card.locator(".gf-pairs").wait_for()
    page.sent.clear()
    card.get_by_role("slider", name="Temperature").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("order_t=2.5"))
    found = order.compute(order.Inputs(t=2.5))
    said = card.locator(".gf-readout").inner_text()
    assert f"{found.n_left[0]} of 453 tokens are left. Top-p first: {found.n_left[1]}." in said
    bars = [float(one) for one in card.locator(".gf-pairs span").all_inner_texts()]
    assert bars[:2] == [round(float(one[0]), 3) for one in (found.top_p_first, found.temperature_first)]
    assert page.sent == []


def test_three_ways_write_in_step_and_explain_a_token_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("strategies")
    texts = page.locator("figure.gf", has=page.locator(".gf-ways"))
    page.sent.clear()
    tokens = texts.locator(".gf-way-text > span")
    height = texts.bounding_box()["height"]
    assert texts.locator(".gf-way-n b").all_inner_texts() == ["0", "1", "6"]
    assert texts.locator(".took span").all_inner_texts() == ["in", "under", "under"]
    texts.get_by_role("slider", name="Tokens shown").fill("4")
    assert sum(one.is_visible() for one in tokens.all()) == 3 * 5
    assert texts.locator(".took span").all_inner_texts() == ["No", "No", "There"]
    assert texts.locator(".gf-way-n b").all_inner_texts() == ["0", "1", "2"]
    assert abs(texts.bounding_box()["height"] - height) < 1
    texts.locator(".gf-way-text").nth(2).locator("span").first.hover()
    assert "Temperature 2, token 1: under. Its probability is 9.5%" in texts.locator(".gf-readout").inner_text()
    assert texts.locator(".took span").all_inner_texts() == ["in", "under", "under"]
    page.get_by_role("radio", name="top-k 5").or_(page.get_by_role("button", name="top-k 5")).first.click()
    texts.get_by_text("Temperature 2, top-k 5", exact=True).wait_for()
    assert texts.locator(".gf-way-n b").all_inner_texts() == ["0", "1", "3"]
    page.wait_for_timeout(300)
    assert page.sent == []
