"""In every room the first picture stands whole above the fold, and every slide is whole above its foot."""

from collections.abc import Callable
from typing import Any

import pytest

from core.rooms import rooms
from tests.browser.rooms import idle, still, styled

ROOMS = [room.address for room in rooms() if room.exhibits or room.address in ("home", "studio")]
# What is drawn in a pane, widgets included: [top, right, bottom] of each picture, and of each part of a slide.
BOXES = """(pane, isSlide) => {
  const kinds = "figure.gf > div:nth-child(2), [data-testid=stVegaLiteChart] svg.marks, .js-plotly-plot, img";
  const roots = [pane];
  for (const root of roots) roots.push(...[...root.querySelectorAll("*")].flatMap((node) => node.shadowRoot ?? []));
  const found = roots.flatMap((root) => [...root.querySelectorAll(kinds)]);
  return [...found, ...(isSlide ? pane.children : [])].map((node) => node.getBoundingClientRect())
    .filter((box) => box.width > 40 && box.height > (isSlide ? 0 : 40))
    .map((box) => [box.top, box.right, box.bottom].map(Math.round));
}"""
PANE = '[class*="st-key-gf-exhibit-"] [class*="st-key-gf-pane-"]'


def address(room: str, **more: str) -> str:
    return ("" if room == "home" else room) + "?depth=story" + "".join(f"&{name}={one}" for name, one in more.items())


def stand(page: Any) -> None:
    """Wait until the page has its style and has drawn all there is."""
    styled(page)
    page.locator(PANE).first.wait_for(state="attached")
    still(page)
    idle(page)


@pytest.mark.parametrize("room", ROOMS)
def test_the_first_picture_is_whole_on_the_first_screen(look_at: Callable[..., Any], room: str) -> None:
    page = look_at(address(room), width=1440)
    stand(page)
    boxes = page.locator(PANE).first.evaluate(f"pane => ({BOXES})(pane, false)")
    assert boxes and 0 <= boxes[0][0] < boxes[0][2] <= 900, boxes


def sticks_out(page: Any, at: int) -> list[Any]:
    """What of a slide reaches below its pane or under the foot, or beyond the screen's edge."""
    pane = page.locator(PANE).nth(at)
    foot = min(
        page.locator(".gf-present-bar").bounding_box()["y"], pane.evaluate("n => n.getBoundingClientRect().bottom")
    )
    boxes = pane.evaluate(f"pane => ({BOXES})(pane, true)")
    return [box for box in boxes if box[2] > foot + 2 or box[1] > page.viewport_size["width"] + 2]


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1920, 1080)])
@pytest.mark.parametrize("room", ROOMS)
def test_every_slide_is_whole(look_at: Callable[..., Any], room: str, width: int, height: int) -> None:
    page = look_at(address(room, present="true"), width=width)
    page.set_viewport_size({"width": width, "height": height})
    stand(page)
    cut = {}
    n_slide = page.locator(PANE).count()
    for at in range(n_slide):
        told = page.locator(".gf-present-bar span", has_text=f"{at + 1} of {n_slide}")
        told.wait_for(timeout=10_000)
        stand(page)
        for _ in range(10):  # what does not fit is made smaller, in a few steps
            if not (out := sticks_out(page, at)):
                break
            page.wait_for_timeout(400)
        else:
            cut[at + 1] = out
        page.keyboard.press("PageDown")
    assert not cut
