"""Home in a browser: what a click holds, what a finger means, and what the chips say meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has, address_has_no, settle

CENTER = "node => node.scrollIntoView({ block: 'center' })"  # at the foot of a phone lie its tabs
SET = "rail => getComputedStyle(rail, '::before').content"


def parts(page: Any) -> tuple[Any, Any, Any]:
    """The canvas, the line below it, and the chips; the model has come."""
    said = page.locator(".gf-expects").first
    said.filter(has_text="with").wait_for()
    canvas = page.locator(".gf-sheets canvas")
    canvas.evaluate(CENTER)
    return canvas, said, page.locator('[class*="try-sentence-through"] button')


def place(canvas: Any) -> tuple[float, float]:
    """On a word in the middle of the lowest sheet."""
    box = canvas.bounding_box()
    return box["x"] + 0.32 * box["width"], box["y"] + box["height"] - 25


def test_a_click_holds_a_word_and_ticks_the_chip_and_hovering_costs_no_message(visit: Callable[..., Any]) -> None:
    """A mouse's click once held nothing, and the chip was never ticked."""
    page = visit("")
    canvas, said, chips = parts(page)
    assert page.locator('[class*="st-key-gf-rail-"]').first.evaluate(SET) == "none", "there is nothing to set"
    chips.filter(has_text="Click a word.").click()
    settle(page)
    canvas.evaluate(CENTER)
    x, y = place(canvas)
    asked = len(page.sent)
    page.mouse.move(x, y)
    said.filter(has_text="After “").wait_for()
    page.wait_for_timeout(300)
    assert len(page.sent) == asked
    page.mouse.click(x, y)
    address_has(page, "word=", "try=sentence-through.3.done")
    settle(page)
    page.mouse.move(5, 5)
    assert said.inner_text().startswith("After “"), "it stays marked"
    chips.nth(0).click()
    settle(page)
    address_has_no(page, "word=")
    assert said.inner_text().startswith("It expects “kite”"), "of another text no word is held"


def test_a_held_word_outlasts_a_run_of_the_whole_page(visit: Callable[..., Any]) -> None:
    page = visit("")
    canvas, said, _ = parts(page)
    page.mouse.click(*place(canvas))
    address_has(page, "word=")
    page.mouse.move(5, 5)
    held = said.inner_text()
    page.locator(".st-key-gf-menu button").first.click()
    page.get_by_role("radio", name="Numbers").first.click()
    page.keyboard.press("Escape")
    settle(page)
    address_has(page, "word=")
    assert held.startswith("After “") and said.inner_text() == held


def test_what_is_typed_after_a_chip_lets_go_of_it(visit: Callable[..., Any]) -> None:
    """Else Read tells of a text that is gone."""
    page = visit("")
    _, _, chips = parts(page)
    chips.nth(0).click()
    settle(page)
    read = page.locator('[class*="st-key-gf-read-"]', has_text="nearly certain")
    read.wait_for()
    field = page.get_by_role("textbox", name="Your own sentence")
    field.fill("Mia had")
    address_has_no(page, "try=")
    settle(page)
    assert read.count() == 0
    chips.nth(0).click()
    address_has(page, "try=sentence-through.1", "blue+kite")


def test_a_tap_on_the_sheets_of_a_phone_never_leaves_home(open_page: Callable[..., Any], url: str) -> None:
    page = open_page(url, width=390, has_touch=True)
    canvas, said, _ = parts(page)
    for name in page.locator(".gf-sheets div").all():
        box = name.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(300)
        assert "block" not in page.url and "tokens" not in page.url and "embeddings" not in page.url
    page.touchscreen.tap(*place(canvas))
    address_has(page, "word=")
    assert said.inner_text().startswith("After “")
    page.locator(".gf-leads a", has_text="Embeddings").click()
    address_has(page, "/embeddings")


def test_a_text_too_long_says_what_the_link_keeps(visit: Callable[..., Any]) -> None:
    page = visit("")
    parts(page)
    page.get_by_role("textbox", name="Your own sentence").fill("Tom had a kite and the wind took it. " * 60)
    page.locator(".gf-remark", has_text="Only its last").wait_for()
    kept = page.locator(".gf-remark").inner_text().split("Only its last ")[1].split(" ")[0]
    address_has(page, "text=")
    assert page.evaluate("new URL(location).searchParams.get('text').length") == int(kept.replace(",", ""))


def test_continue_writes_the_word_it_expects_and_takes_it_back(visit: Callable[..., Any]) -> None:
    page = visit("")
    _, said, _ = parts(page)
    field = page.get_by_role("textbox", name="Your own sentence")
    own = field.input_value()
    row = page.locator(".gf-write").first
    asked = len(page.sent)
    for _ in range(2):
        word = said.locator("b").inner_text().strip("“”")
        row.get_by_role("button", name="Continue").click()
        address_has(page, "text=", word)
        assert field.input_value().endswith(word)
    assert len(page.sent) == asked, "the browser computes it"
    written = row.locator("mark").all_inner_texts()
    assert field.input_value() == f"{own} {' '.join(written)}" and len(written) == 2
    row.get_by_role("button", name="Undo").click()
    row.locator("mark").nth(1).wait_for(state="detached")
    row.get_by_role("button", name="Start again").click()
    row.get_by_role("button", name="Undo").wait_for(state="hidden")
    assert field.input_value() == own


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_the_picture_is_whole_on_the_first_screen(
    open_page: Callable[..., Any], url: str, width: int, height: int
) -> None:
    page = open_page(url, width=width, has_touch=width < 500)
    page.set_viewport_size({"width": width, "height": height})
    page.reload()
    page.locator(".gf-expects").first.filter(has_text="with").wait_for()
    box = page.locator(".gf-expects").first.bounding_box()
    assert box["y"] + box["height"] < height - (60 if width < 500 else 0), "the tabs at the foot take 60 px"
