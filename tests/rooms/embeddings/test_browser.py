"""The embeddings room in a real browser: maps draw under the security policy, arrows follow the finger."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has, settle


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


def middle_of(thing: Any) -> tuple[float, float]:
    thing.scroll_into_view_if_needed()
    box = thing.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_arrows_follow_the_mouse_without_asking_the_server(visit: Callable[..., Any]) -> None:
    page = visit("?open=all")
    assert numbers(page) == ["3.00", "0.707", "1.000", "4.243", "45.0°", "3.606"]
    x, y = middle_of(tip(page, "k"))
    page.mouse.move(x, y)
    page.mouse.down()
    before = len(page.sent)
    page.mouse.move(x - 60, y + 40, steps=12)
    page.wait_for_timeout(300)
    assert len(page.sent) == before, "dragging sent something"
    page.mouse.up()
    assert numbers(page)[:2] != ["3.00", "0.707"]
    settle(page)
    assert len(page.sent) > before, "letting go tells the address"
    address_has(page, "vectors=")


def test_arrows_follow_the_keys_and_the_examples(visit: Callable[..., Any]) -> None:
    page = visit("?open=all", width=390)
    examples = {"Right angle": ["0.00", "0.000"], "Opposite": ["−5.00", "−1.000"], "Same": ["1.00", "1.000"]}
    for name, told in examples.items():
        page.get_by_role("button", name=name).click()
        assert numbers(page)[:2] == told
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
    page = visit("?open=all&axes=solid+%283-D%29", width=1024, dark=True)
    page.locator(".js-plotly-plot .gl-container canvas, .js-plotly-plot canvas").first.wait_for()
    page.wait_for_timeout(800)
    plot = page.locator(".js-plotly-plot").first
    x, y = middle_of(plot)
    first = plot.screenshot()
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 20, steps=6)
    page.mouse.up()
    page.wait_for_timeout(600)
    assert plot.screenshot() != first


def test_a_click_on_the_map_chooses_the_token(visit: Callable[..., Any]) -> None:
    page = visit("?open=all&token=·ball")
    chosen = page.locator('[data-testid="stSelectbox"]', has_text="Token to look at")
    plot = page.locator(".js-plotly-plot").first
    for place in range(8):  # a point may lie below another one
        page.mouse.click(*middle_of(plot.locator(".scatterlayer .trace:nth-child(2) .points path").nth(place)))
        settle(page)
        if "ball" not in (chosen.locator("input").input_value() or chosen.inner_text()):
            return
    raise AssertionError("no click chose another token")
