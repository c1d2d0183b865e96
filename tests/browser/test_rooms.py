"""The rooms in a real browser: alive at once, clicks open heads, hovering asks nobody, links hold the view."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has, address_has_no, exhibit, figure, fits, settle

ROOMS = {"": "A transformer you can see through", "heads": "Attention heads", "next_token": "Next token"}


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


def slider(page: Any, label: str) -> Any:
    return page.locator(f':is([data-testid="stSlider"], .gf-choice) input[aria-label="{label}"]')


def value(page: Any, label: str) -> int:
    return int(float(slider(page, label).input_value()))


def click_last_head(page: Any) -> tuple[int, int]:
    """Click the last head of the grid and wait until it is the large one."""
    last = int(slider(page, "Layer").get_attribute("max")), int(slider(page, "Head").get_attribute("max"))
    stage = figure(page, "All heads").locator(".gf-stage").first
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] - 12, "y": box["height"] - 12})
    figure(page, f"Layer {last[0]}, head {last[1]}").wait_for()
    settle(page)
    return last


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("path", ROOMS)
def test_every_room_opens_alive_and_without_faults(visit: Callable[..., Any], path: str, dark: bool) -> None:
    page = visit(path, dark=dark)
    assert page.get_by_role("heading", name=ROOMS[path], exact=True).is_visible()
    assert page.locator("figure.gf").count() >= (3 if path else 1)  # Home's sheets are one picture
    assert page.locator('[data-testid="stAlert"]').count() == 0


@pytest.mark.parametrize("path", ROOMS)
def test_nothing_is_wider_than_the_screen(visit: Callable[..., Any], path: str) -> None:
    page = visit(path, width=390)
    assert list(fits(page, 390, 1024, 1440))


def test_home_shows_the_whole_model_on_the_first_screen(visit: Callable[..., Any]) -> None:
    page = visit("")
    box = page.locator("figure.gf", has=page.locator(".gf-sheets")).bounding_box()
    assert box is not None and box["y"] + box["height"] <= 900


def test_a_click_on_a_head_opens_it(visit: Callable[..., Any]) -> None:
    page = visit("heads?layer=0&head=1")
    assert figure(page, "Layer 0, head 1").is_visible()
    last = click_last_head(page)
    assert (value(page, "Layer"), value(page, "Head")) == last


def test_the_same_head_can_be_clicked_again_after_the_slider_has_moved(visit: Callable[..., Any]) -> None:
    page = visit("heads?layer=0&head=1")
    layer, head = click_last_head(page)
    slider(page, "Head").focus()
    page.keyboard.press("ArrowLeft")
    figure(page, f"Layer {layer}, head {head - 1}").wait_for()
    settle(page)
    click_last_head(page)


def test_hovering_asks_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("heads")
    page.sent.clear()
    for title in ("All heads", "Layer"):
        box = figure(page, title).bounding_box()
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        for step in range(20):
            page.mouse.move(box["x"] + 60 + step * 10, box["y"] + 120 + step * 8)
    page.wait_for_timeout(500)
    assert page.sent == []


def test_reload_and_shared_link_show_the_same_view(visit: Callable[..., Any]) -> None:
    page = visit("heads")
    slider(page, "Layer").focus()
    page.keyboard.press("ArrowRight" if value(page, "Layer") == 0 else "ArrowLeft")
    settle(page)
    page.get_by_text("First token", exact=True).click()
    settle(page)
    address_has(page, "rank=First+token")
    seen = (value(page, "Layer"), value(page, "Head"))
    verdict = page.get_by_text("reads all tokens alike").first.inner_text()
    page.reload()
    settle(page)
    assert (value(page, "Layer"), value(page, "Head")) == seen
    assert page.get_by_text("reads all tokens alike").first.inner_text() == verdict
    other = visit(page.url.split("/", 3)[3])
    assert (value(other, "Layer"), value(other, "Head")) == seen
    assert other.get_by_text("reads all tokens alike").first.inner_text() == verdict


def test_a_shorter_text_and_a_longer_one(visit: Callable[..., Any]) -> None:
    page = visit("heads")
    for text, last in (("Anna had a red ball", 4), ("Anna had", 1), ("Anna", None), ("Anna had a ball and", 4)):
        page.get_by_role("textbox", name="Text").fill(text)
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(400)
        settle(page)
        assert page.locator('[data-testid="stAlert"]').count() == 0
        if last is not None:
            assert value(page, "Query token") == last


def test_a_drawn_row_is_applied_and_undone(visit: Callable[..., Any]) -> None:
    page = visit("heads?open=set-a-row")
    picture = figure(page, "set the chosen row below")
    bars = picture.locator(".gf-editor .gf-stage")
    box = bars.bounding_box()
    bars.click(position={"x": 8, "y": 8})
    assert box is not None
    picture.get_by_role("button", name="Apply").click()
    page.wait_for_url(re.compile("row="))
    settle(page)
    assert page.get_by_text("Nothing is edited yet").count() == 0
    picture.get_by_role("button", name="Undo the edit").click()
    page.get_by_text("Nothing is edited yet").wait_for()
    settle(page)
    address_has_no(page, "row=")


def test_temperature_follows_the_finger_and_reaches_the_writing(visit: Callable[..., Any]) -> None:
    page = visit("next_token")
    page.get_by_role("slider", name="Temperature").last.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("temperature="))
    settle(page)
    assert page.get_by_text(re.compile("Written with temperature 1\\.")).is_visible()


def test_writing_is_the_same_after_a_reload(visit: Callable[..., Any]) -> None:
    page = visit("next_token?temperature=2")
    page.get_by_role("button", name="40 tokens").click()
    page.wait_for_url(re.compile("written=60"))
    settle(page)
    text = exhibit(page, "write").locator(".gf-line .text").first.inner_text()
    page.reload()
    settle(page)
    assert exhibit(page, "write").locator(".gf-line .text").first.inner_text() == text


def test_a_link_with_the_plain_name_of_a_model_keeps_it(visit: Callable[..., Any]) -> None:
    page = visit("next_token?model=stories-lstm")
    for _ in range(2):
        assert "LSTM" in page.locator('[data-testid="stSelectbox"] input').first.input_value()
        address_has(page, "model=")
        page.reload()
        settle(page)


def test_a_folded_exhibit_is_a_line_that_a_click_a_key_or_a_link_opens(open_page: Callable[..., Any], url: str) -> None:
    """A glossary's link once led to a heading that stayed folded."""
    page = open_page(f"{url}/steps#slips", width=1280)
    address_has(page, "open=slips")
    settle(page)
    assert page.locator(".st-key-gf-open-slips").count() == 0
    line = page.locator(".st-key-gf-exhibit-cost")
    line.scroll_into_view_if_needed()
    box = line.bounding_box()
    assert box["height"] < 80
    line.click(position={"x": 40, "y": box["height"] / 2})
    page.locator(".st-key-gf-open-cost").wait_for(state="detached")
    address_has(page, "slips", "cost")
    settle(page)
    page.locator(".st-key-gf-open-many-heads button:visible").press("Enter")
    page.locator(".st-key-gf-open-many-heads").wait_for(state="detached")


def test_all_folded_exhibits_open_at_once_as_paper_needs_them(visit: Callable[..., Any]) -> None:
    page = visit("steps?depth=numbers")
    assert page.locator('[class*="st-key-gf-open-"]').count() == 4
    page.get_by_role("button", name="Open all", exact=True).click()
    address_has(page, "open=all")
    settle(page)
    assert page.locator('[class*="st-key-gf-open-"]').count() == 0
    assert page.get_by_role("button", name="Open all", exact=True).count() == 0
