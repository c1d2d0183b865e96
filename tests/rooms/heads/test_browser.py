"""The pictures of the heads' room in a real browser: what one chooses is seen in all of them, and nobody is asked."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.data.sentences import SENTENCES
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms.heads import one_head
from tests import todays_decoders
from tests.browser.rooms import figure, settle, too_wide
from tests.browser.test_rooms import slider, url, value  # noqa: F401

LONG = "Anna had a red ball. Tom had a kite. " * 8  # more than 64 tokens of a word model


def middle(picture: Any, selector: str = ".gf-stage") -> tuple[float, float, float, float]:
    stage = picture.locator(selector).first
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    return box["x"], box["y"], box["width"], box["height"]


def open_next_head(page: Any, head: int) -> None:
    slider(page, "Head").focus()
    page.keyboard.press("ArrowRight")
    figure(page, f"Layer 1, head {head}").wait_for()


def test_heads_are_switched_and_tokens_pointed_at_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("heads?layer=1&head=0&text=Anna+had+a+red+ball.")
    lines = figure(page, "Who reads whom")
    chips = lines.get_by_role("group", name=re.compile("Heads to draw"))
    page.sent.clear()
    assert chips.get_by_role("button", pressed=True).all_inner_texts() == ["1.0"]
    chips.get_by_role("button", name="0.1", exact=True).click()
    assert chips.get_by_role("button", pressed=True).all_inner_texts() == ["0.1", "1.0"]
    chips.get_by_role("button", name="layer 0").click()
    assert len(chips.get_by_role("button", pressed=True).all_inner_texts()) == 5
    lines.get_by_role("slider").fill("0")
    x, y, width, height = middle(lines, ".gf-split .gf-stage")
    page.mouse.move(x + 20, y + height - 36)  # the last token on the left: what it reads
    panel = lines.locator(".gf-panel")
    assert "reads" in panel.inner_text()
    weights = [float(one) for one in panel.locator(".number").all_inner_texts()]
    assert weights == sorted(weights, reverse=True) and len(weights) > 5
    page.mouse.move(x + width - 20, y + 30)  # the first token on the right: who reads it
    assert "is read by" in panel.inner_text()
    stage = lines.locator(".gf-split .gf-stage")
    stage.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert lines.locator(".gf-live").inner_text().startswith("query")
    page.keyboard.press("Escape")
    assert "Point at a token" in panel.inner_text()
    assert page.sent == []


def test_the_lines_follow_the_open_head_until_heads_are_chosen(visit: Callable[..., Any]) -> None:
    page = visit("heads?layer=1&head=0")
    chips = figure(page, "Who reads whom").get_by_role("group", name=re.compile("Heads to draw"))
    open_next_head(page, 1)
    chips.get_by_role("button", name="1.1", pressed=True).wait_for()
    assert chips.get_by_role("button", pressed=True).count() == 1
    chips.get_by_role("button", name="0.0", exact=True).click()
    open_next_head(page, 2)
    assert chips.get_by_role("button", pressed=True).all_inner_texts() == ["0.0", "1.1"]


def test_one_choice_moves_all_pictures_and_asks_nobody(visit: Callable[..., Any]) -> None:
    page = visit("heads?layer=1&head=0&text=Anna+had+a+red+ball.&depth=story")
    figure(page, "All heads").wait_for()
    page.sent.clear()
    figure(page, "All heads").scroll_into_view_if_needed()
    slider(page, "Head").focus()
    page.keyboard.press("ArrowRight")
    slider(page, "Query token").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    for title in ("Layer 1, head 1", "Where token 2 reads from"):
        figure(page, title).scroll_into_view_if_needed()
        figure(page, title).wait_for()
    page.wait_for_url(re.compile(r"head=1&.*query=2"))
    assert page.sent == []


def test_the_numbers_of_each_head_are_the_models_own(visit: Callable[..., Any]) -> None:
    """Read off the table of one head after another, without the server, against the model itself."""
    given = one_head.Inputs().given
    page = visit("heads?model=stories&layer=0&head=0&depth=story")
    page.sent.clear()
    picture = page.locator(".st-key-gf-exhibit-one-head figure.gf").first
    picture.get_by_role("button", name="Table").click()
    for head in range(2):
        picture.get_by_text(f"Layer 0, head {head}", exact=True).wait_for()
        cells = picture.locator(".gf-table tbody tr").last.locator("td").all_inner_texts()
        expected = [f"{weight:.4f}" for weight in given.attention.weights[0, head, -1]]
        assert cells == expected
        slider(page, "Head").focus()
        page.keyboard.press("ArrowRight")
    assert page.sent == []


def test_an_open_panel_hears_of_every_choice(visit: Callable[..., Any]) -> None:
    page = visit("heads?layer=1&head=0&text=Anna+had+a+red+ball.")
    foot = page.locator(".st-key-gf-exhibit-one-head")
    foot.get_by_role("radio", name="Link").click()
    settle(page)
    slider(page, "Head").focus()
    page.keyboard.press("ArrowRight")
    foot.get_by_text("head=1").first.wait_for(timeout=10_000)


def test_a_click_on_a_token_sets_the_row_of_the_large_head(visit: Callable[..., Any]) -> None:
    page = visit("heads?layer=1&head=0&text=Anna+had+a+red+ball.")
    stage = figure(page, "Who reads whom").locator(".gf-split .gf-stage")
    for _ in range(2):  # the same token again, after the slider has moved away
        stage.click(position={"x": 15, "y": 24 + 15})
        assert value(page, "Query token") == 0
        figure(page, "Where token 0 reads from").wait_for()
        slider(page, "Query token").focus()
        page.keyboard.press("ArrowRight")
        figure(page, "Where token 1 reads from").wait_for()
        stage.focus()
        page.keyboard.press("Escape")


def test_the_longest_text_fits_the_screen(visit: Callable[..., Any]) -> None:
    page = visit(f"heads?text={LONG.replace(' ', '+')}", width=390)
    assert too_wide(page) <= 0
    lines = figure(page, "Who reads whom")
    assert lines.locator(".gf-split .gf-stage").bounding_box()["width"] <= 390
    lines.locator(".gf-split .gf-stage").focus()
    page.keyboard.press("End")
    assert " 63 reads" in lines.locator(".gf-panel").inner_text()


def test_a_bounded_score_and_a_window_are_shown_as_the_model_has_them(
    serve: Callable[..., str], open_page: Callable[..., Any], tmp_path: Path
) -> None:
    """What the browser writes of a cell, in a model whose scores have a bound and whose layers read differently."""
    todays_decoders.write(tmp_path / "models" / "gemma-2", "gemma-2")
    address = serve("app.py", GLASSFORMER_DATA=str(tmp_path))
    page = open_page(f"{address}/heads?model=gemma-2&layer=1&head=2")
    record = one_head.Inputs(
        given=load_model_and_text(tmp_path / "models" / "gemma-2", SENTENCES["stories"])
    ).given.attention
    picture = page.locator(".st-key-gf-exhibit-one-head figure.gf").first
    for layer in (1, 2):
        picture.get_by_text(f"Layer {layer}, head 2", exact=True).wait_for()
        key = int(record.weights[layer, 2, -1].argmax())
        score, weight = (float(values[layer, 2, -1, key]) for values in (record.scores, record.weights))
        numbers = picture.locator(".gf-formula").inner_text().replace("−", "-")
        assert "2 · tanh(x / 2)" in numbers and "scale" in numbers and f"{score:.3f}" in numbers, numbers
        assert f"{weight:.4f}" in numbers, numbers
        if layer == 1:
            picture.get_by_role("button", name="Table").click()  # and it stays a table
        cells = picture.locator(".gf-table tbody tr").last.locator("td").all_inner_texts()
        window = 5 if layer == 2 else len(record.ids)
        assert sum(cell != "masked" for cell in cells) == window
        slider(page, "Layer").focus()
        page.keyboard.press("ArrowRight")
