"""The embeddings room in a real browser: maps draw under the security policy, arrows follow the finger."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has, settle, too_wide


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


@pytest.fixture
def visit(visit: Callable[..., Any]) -> Callable[..., Any]:
    """`visit(query, width=, dark=) -> page` of this room, drawn."""

    def open_room(query: str = "", **how: Any) -> Any:
        page = visit(f"embeddings{query}", **how)
        page.wait_for_selector(".js-plotly-plot .main-svg")
        return page

    return open_room


def numbers(page: Any) -> list[str]:
    return page.locator(".gf-pairs b").all_inner_texts()


def tip(page: Any, name: str) -> Any:
    return page.locator(f'button.gf-tip[aria-label^="Tip of {name}"]')


def drag(page: Any, name: str, by: tuple[float, float]) -> list[int]:
    """Drag a tip, slowly; the numbers of messages sent before and at the end of the way, the button still down."""
    tip(page, name).scroll_into_view_if_needed()
    box = tip(page, name).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    before = len(page.sent)
    page.mouse.move(x + by[0], y + by[1], steps=12)
    page.wait_for_timeout(300)
    after = len(page.sent)
    page.mouse.up()
    return [before, after]


def test_arrows_follow_the_mouse_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit()
    assert numbers(page) == ["3.00", "0.707", "1.000", "4.243", "45.0°", "3.606"]
    before, after = drag(page, "k", (-60, 40))
    assert before == after, "dragging sent something"
    assert numbers(page)[:2] != ["3.00", "0.707"]
    settle(page)
    assert len(page.sent) > after, "letting go tells the address"
    address_has(page, "vectors=")
    kept = numbers(page)
    page.reload()
    page.wait_for_selector("figure.gf[data-drawn]")
    settle(page)
    assert numbers(page) == kept


def test_arrows_follow_the_keys_and_the_examples(visit: Callable[..., Any]) -> None:
    page = visit(width=390)
    assert too_wide(page) <= 0
    page.get_by_role("button", name="Right angle").click()
    assert numbers(page)[:2] == ["0.00", "0.000"]
    page.get_by_role("button", name="Opposite").click()
    assert numbers(page)[:2] == ["−5.00", "−1.000"]
    page.get_by_role("button", name="Same").click()
    assert numbers(page)[:2] == ["1.00", "1.000"]
    settle(page)  # what the clicks send is on its way by now
    tip(page, "k").focus()
    sent = len(page.sent)
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("ArrowRight")
    assert numbers(page)[:2] == ["1.10", "0.740"]
    assert len(page.sent) == sent, "keys wait until the arrow stands still"
    page.keyboard.press("Escape")
    assert numbers(page)[:2] == ["3.00", "0.707"]
    settle(page)


def test_the_solid_map_draws_and_turns(visit: Callable[..., Any]) -> None:
    page = visit("?axes=solid+%283-D%29", width=1024, dark=True)
    canvas = page.locator(".js-plotly-plot .gl-container canvas, .js-plotly-plot canvas").first
    canvas.wait_for()
    page.wait_for_timeout(800)
    plot = page.locator(".js-plotly-plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    first = plot.screenshot()
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 80, middle[1] + 20, steps=6)
    page.mouse.up()
    page.wait_for_timeout(600)
    assert plot.screenshot() != first


def test_a_click_on_the_map_chooses_the_token(visit: Callable[..., Any]) -> None:
    page = visit("?token=·ball")
    chosen = page.locator('[data-testid="stSelectbox"]', has_text="Token to look at")
    plot = page.locator(".js-plotly-plot").first
    plot.scroll_into_view_if_needed()
    for place in range(8):  # a point may lie below another one
        point = plot.locator(".scatterlayer .trace:nth-child(2) .points path").nth(place)
        box = point.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        settle(page)
        if "ball" not in (chosen.locator("input").input_value() or chosen.inner_text()):
            return
    raise AssertionError("no click chose another token")
