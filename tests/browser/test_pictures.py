"""The grid of small pictures and the picture with switches in a real browser, alone behind the app's own policy.

The page under test stands below (see `show` in conftest.py); `?w=` chooses the widget.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rooms import until

PAGE = """
import numpy as np
import streamlit as st
from core.data import images
from core.exhibit import ViewChoice, text_input
from core.ui.controls import browser_side_controls
from core.ui.widgets.picture_grid import pictures
from core.ui.widgets.widget import mount_widget

st.set_page_config(layout="wide")
digits = images.held_out_digits()
weights = np.zeros((8, 4, 4))
weights[:, 1, 2] = 0.25

def heads():
    return pictures(np.repeat(digits.pixels[5:6], 8, 0), key="h", label="Heads", takeaway="Eight heads.", columns=4,
                    titles=[f"layer {i // 4}, head {i % 4}" for i in range(8)], weights=weights, lines=2,
                    details=["a detail"] * 8, pick="picture", chosen=2)

def patch():
    return pictures(digits.pixels[5:6], key="p", label="One", takeaway="A three.", lines=2, pick="patch")

def photo():
    photograph = images.load_sample_photograph("china")[None]
    return pictures(photograph, key="c", label="Photo", takeaway="A temple.", ink=False)

def switches():
    gone = text_input("16.1", label="Gone", name="gone", view=ViewChoice(is_drawn=False))
    browser_side_controls.render_choice(gone.resolve(None), None)
    mount_widget("patch_switches", pixels=digits.pixels[5:6], weight_title="", kind="probability", low=0.0, high=1.0,
                 grid=(4, 4), lines=True, ink=True, full=16, columns=None, size=320, pick="patch",
                 gone=browser_side_controls.choice_ref("gone"), sets={"first": [*range(16)]}, k=3,
                 click_sets={"gone": "gone"}, key="s", label="Switches", takeaway="A 3.")

pages = {"heads": heads, "patch": patch, "photo": photo, "switches": switches}
st.code(repr(pages[st.query_params["w"]]()))
"""


def _expect_code(page: Any, text: str) -> None:
    until(page, f"document.querySelector('[data-testid=stCode] code')?.innerText.trim() === {text!r}")


def _dark_share(page: Any, x: float, y: float, w: float, h: float) -> float:
    """How much of a part of the canvas (shares of its size) is darker than mid gray."""
    return float(
        page.locator(".gf-stage canvas").first.evaluate(
            """(canvas, [x, y, w, h]) => {
                const ctx = canvas.getContext("2d");
                const box = [x * canvas.width, y * canvas.height, w * canvas.width, h * canvas.height].map(Math.round);
                const data = ctx.getImageData(...box).data;
                let dark = 0;
                for (let i = 0; i < data.length; i += 4) dark += data[i] + data[i + 1] + data[i + 2] < 384;
                return dark / (data.length / 4);
            }""",
            [x, y, w, h],
        )
    )


def test_pointer_and_keys_read_numbers_and_ask_the_server_nothing(show: Callable[..., Any]) -> None:
    page = show("heads")
    stage, readout = page.locator(".gf-stage"), page.locator(".gf-readout")
    box = stage.bounding_box()
    for i in range(1, 12):
        page.mouse.move(box["x"] + box["width"] * i / 24, box["y"] + box["height"] * i / 14)
    page.mouse.move(0, 0)
    stage.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        stage.press(key)
    told = readout.inner_text()
    assert "layer 0, head 2" in told and "a detail" in told  # it begins at the chosen picture
    assert "patch in row 1, column 2" in told and "attention weight 0.250" in told and "of 16" in told
    assert "row 1, column 2" in page.locator(".gf-live").inner_text()
    stage.press("PageDown")
    assert "layer 0, head 3" in readout.inner_text()
    stage.press("End")
    assert "layer 1, head 3" in readout.inner_text()
    page.get_by_role("button", name="Table").click()
    assert "0.2500" in page.locator(".gf-table").inner_text()
    page.get_by_role("button", name="Picture").click()
    assert page.sent == []


def test_a_click_or_enter_chooses_a_picture_or_a_patch(show: Callable[..., Any]) -> None:
    page = show("heads")
    box = page.locator(".gf-stage").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.8)
    _expect_code(page, "7")
    page = show("patch")
    stage = page.locator(".gf-stage")
    stage.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        stage.press(key)
    _expect_code(page, "(0, 6)")
    box = stage.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.1)
    _expect_code(page, "(0, 3)")


@pytest.mark.parametrize("dark", [False, True])
def test_ink_is_dark_on_a_light_page_and_light_on_a_dark_one(show: Callable[..., Any], dark: bool) -> None:
    page = show("patch", dark=dark)
    bare, inked = _dark_share(page, 0.03, 0.55, 0.2, 0.15), _dark_share(page, 0.52, 0.02, 0.2, 0.1)
    assert (bare, inked) == (1, 0) if dark else bare == 0 and inked > 0.9


def test_photographs_are_drawn_true_and_files_are_given(show: Callable[..., Any]) -> None:
    page = show("photo", width=390)
    color = page.locator(".gf-stage canvas").first.evaluate(
        "canvas => [...canvas.getContext('2d').getImageData(canvas.width >> 1, 12, 1, 1).data]"
    )
    assert color[2] > 180 and color[3] == 255  # the sky
    assert page.locator(".gf").evaluate("figure => figure.scrollWidth") <= 390
    for kind in ("PNG", "SVG"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=kind).click()
        data = Path(waiting.value.path()).read_bytes()
        assert data.startswith(b"\x89PNG") if kind == "PNG" else b"<image" in data and b"data:image/png" in data


def test_switches_move_their_choice_and_nobody_else(show: Callable[..., Any]) -> None:
    page = show("switches")
    stage, key = page.locator(".gf-stage"), page.locator(".gf-legend")
    assert "hidden: 1 of 16" in key.inner_text()
    box = stage.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.1)
    until(page, "location.search.includes('gone=16.5')")
    page.mouse.move(0, 0)
    stage.focus()
    stage.press("ArrowDown")
    stage.press("Enter")  # the first patch comes back
    until(page, "location.search.includes('gone=16.4')")
    assert "is back; 1 of 16 hidden" in page.locator(".gf-live").inner_text()
    page.get_by_role("button", name="Hide 3 first").click()
    until(page, "location.search.includes('gone=16.7')")
    page.get_by_role("button", name="Undo").click()
    until(page, "location.search.includes('gone=16.4')")
    page.get_by_role("button", name="Show all").click()
    until(page, "location.search.includes('gone=16.0')")
    assert page.get_by_role("button", name="Undo").is_enabled() and "hidden: 0 of 16" in key.inner_text()
