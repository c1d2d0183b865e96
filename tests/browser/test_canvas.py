"""The drawing canvas in a real browser: mouse, finger, keys; strokes stay in the browser until they are finished."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from core.ui.widgets.picture_inputs import SEVEN
from tests.browser.rooms import address_has, serious_faults, settle, too_wide, until

PAGE = """
import streamlit as st

if __name__ == "__main__":
    from core.ui.widgets.picture_inputs import pick_digit
    from core.ui.frame import layout
    from core.ui.exhibit.exhibit import render_exhibit
    from tests.own_exhibit import exhibit

    st.set_page_config(layout="wide", page_title="Canvas")

    def digit(*_):
        picture = pick_digit("d")
        st.text(f"It is {picture.key}")

    layout.apply_brand()
    layout.page_header("Canvas", "A page for tests.")
    render_exhibit(exhibit(digit, "A digit"))
    st.container(height=900)
else:
    from core.ui.server import server

    app = st.App(__file__, **server.streamlit_app_kwargs())
"""
THREE = [(0.3, 0.2), (0.5, 0.12), (0.7, 0.26), (0.45, 0.46), (0.72, 0.68), (0.55, 0.87), (0.28, 0.8)]


@pytest.fixture(scope="module")
def url(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("canvas")
    (folder / "page.py").write_text(PAGE)
    return serve(folder / "page.py", GLASSFORMER_TRAINING="off")


def drawing(open_page: Callable[..., Any], url: str, query: str = "d_from=drawing", **options: Any) -> Any:
    page = open_page(f"{url}/?{query}", **options)
    page.wait_for_selector(".gf-pad")
    settle(page)
    page.sent.clear()
    return page


def ink(page: Any) -> int:
    label = page.locator(".gf-cells").get_attribute("aria-label")
    return int(re.search(r"Ink (\d+) of 1024", label)[1])


def held(page: Any) -> str:
    """The digit that the server has."""
    return str(page.get_by_text("It is own-").inner_text().removeprefix("It is own-"))


def is_told(page: Any, before: str) -> str:
    """Wait until the server has another digit; give it."""
    page.locator(f'text="It is own-{before}"').wait_for(state="detached")
    return held(page)


def places(page: Any) -> list[tuple[float, float]]:
    box = page.locator(".gf-pad").bounding_box()
    return [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in THREE]


def draw_with_mouse(page: Any) -> None:
    first, *rest = places(page)
    page.mouse.move(*first)
    page.mouse.down()
    for place in rest:
        page.mouse.move(*place, steps=3)


def fits(page: Any, width: int) -> bool:
    boxes = [page.locator(name).bounding_box() for name in (".gf-pad", ".gf-cells")]
    inside = all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    return inside and too_wide(page) <= 0 and all(abs(box["width"] - box["height"]) < 1 for box in boxes)


def test_mouse_undo_clear_and_reload(open_page: Callable[..., Any], url: str) -> None:
    page = drawing(open_page, url)
    assert held(page) == SEVEN and page.get_by_role("button", name="Undo").is_disabled()
    page.get_by_role("button", name="Clear").click()
    assert ink(page) == 0
    draw_with_mouse(page)
    page.wait_for_timeout(300)
    assert 240 <= ink(page) <= 380 and page.sent == [] and held(page) == SEVEN  # nothing is sent while one draws
    page.mouse.up()
    three = is_told(page, SEVEN)
    address_has(page, f"d_drawn={three}")
    assert len(page.sent) == 1
    page.get_by_role("button", name="Rubber").click()
    draw_with_mouse(page)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert ink(page) == 0 and held(page) == three  # all is rubbed out: no digit, nothing to tell
    page.get_by_role("button", name="Undo").click()
    assert ink(page) > 200
    for _ in range(2):  # the three, then the cleared field
        page.get_by_role("button", name="Undo").click()
    assert is_told(page, three) == SEVEN
    page.get_by_role("button", name="Rubber").click()
    draw_with_mouse(page)
    page.mouse.up()
    last = is_told(page, SEVEN)
    page.reload()
    page.wait_for_selector(".gf-pad")
    settle(page)
    assert held(page) == last and ink(page) == sum("0123456789abcdefg".index(one) for one in last)


def test_a_finger_draws_and_does_not_scroll(open_page: Callable[..., Any], url: str) -> None:
    page = drawing(open_page, url, width=390, has_touch=True, is_mobile=True, dark=True)
    assert fits(page, 390)
    page.get_by_role("button", name="Clear").tap()
    page.locator(".gf-pad").scroll_into_view_if_needed()
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    before, touch = page.evaluate(top), page.context.new_cdp_session(page)
    first, *rest = places(page)
    finger = lambda kind, at: touch.send(  # noqa: E731
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1], "id": 1}] if at else []}
    )
    page.sent.clear()
    finger("touchStart", first)
    for place in rest:
        finger("touchMove", place)
    page.wait_for_timeout(300)
    assert page.sent == [] and ink(page) > 200
    finger("touchEnd", None)
    three = is_told(page, SEVEN)
    assert len(page.sent) == 1 and page.evaluate(top) == before
    # Beside the field a finger scrolls as ever; a second finger draws nothing.
    pair = [{"x": first[0], "y": first[1], "id": 1}, {"x": rest[-1][0], "y": rest[-1][1], "id": 2}]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": pair})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)
    assert abs(sum("0123456789abcdefg".index(one) for one in three) - ink(page)) < 60
    assert page.locator(".gf-pad").evaluate("node => getComputedStyle(node).touchAction") == "none"


def test_pixels_are_set_by_keys(open_page: Callable[..., Any], url: str) -> None:
    page = drawing(open_page, url, width=1024)
    assert fits(page, 1024)
    cells, readout = page.locator(".gf-cells"), page.locator(".gf-readout")
    cells.focus()
    assert readout.inner_text() == "Row 0, column 0: ink 0 of 16."
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert readout.inner_text() == "Row 2, column 1: ink 0 of 16."
    page.wait_for_timeout(200)
    assert page.sent == []
    page.keyboard.press("Space")
    filled = is_told(page, SEVEN)
    assert filled == SEVEN[:17] + "g" + SEVEN[18:] and readout.inner_text().endswith("ink 16 of 16.")
    page.keyboard.press("5")
    assert is_told(page, filled)[17] == "9"
    page.keyboard.press("-")
    assert is_told(page, SEVEN[:17] + "9" + SEVEN[18:])[17] == "8"
    for _ in range(3):
        page.keyboard.press("Control+z")
    page.get_by_text(f"It is own-{SEVEN}").wait_for()
    cells.click(position={"x": 5, "y": 5})
    assert is_told(page, SEVEN)[0] == "g"
    page.keyboard.press("Escape")
    assert "Draw with mouse" in readout.inner_text()
    assert not serious_faults(page)


def test_a_file_is_read_or_refused(open_page: Callable[..., Any], url: str) -> None:
    file = io.BytesIO()
    paper = Image.new("L", (300, 400), 235)
    ImageDraw.Draw(paper).line([(80, 80), (220, 80), (140, 320)], fill=40, width=12)
    paper.save(file, "JPEG")
    page = open_page(f"{url}/?d_from=upload", width=390)
    field = page.locator("input[type=file]")
    field.set_input_files({"name": "<b>.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()})
    page.get_by_text("It is own-").wait_for()
    seven = held(page)
    address_has(page, f"d_upload={seven}")
    assert too_wide(page) <= 0
    until(
        page, "[...document.querySelectorAll('[data-testid=stImage] img')].filter(one => one.naturalWidth).length === 2"
    )
    field.set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": b"<svg></svg>"})
    page.get_by_text("“x.png” is a drawing in text (SVG), not pixels: save it as PNG.").wait_for()
    assert held(page) == seven
    page.get_by_role("button", name="Draw on it").click()
    page.wait_for_selector(".gf-pad")
    address_has(page, f"d_drawn={seven}")
