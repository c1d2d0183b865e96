"""The browser widgets in a real browser, behind the app's own security policy.

The page under test stands below (see `show` in conftest.py); `?w=` chooses the widget.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = """
import math
import numpy as np
import streamlit as st
from core.ui.widgets import tensors as widgets

st.set_page_config(layout="wide")
rng = np.random.default_rng(0)
words = ["The", " bottle", " is", " on", " the", " table", "<b>", "語", "\\n"]

def attention(*shape):
    scores = np.where(np.tril(np.ones(shape[-2:], bool)), rng.normal(size=shape) * 2, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)

def matrix():
    n, k = len(words), 16
    q, keys = rng.normal(size=(2, n, k))
    mask = np.tril(np.ones((n, n), bool))
    scores = np.where(mask, q @ keys.T / 4, -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    return widgets.matrix(weights, rows=words, columns=words, key="m", mask=mask, label="One head",
                          operands={"q": q, "k": keys, "scale": 0.25}, editable=True)

def heads():
    weights = attention(12, 12, 64, 64)
    return widgets.head_grid(weights, tokens=[f"w{i}" for i in range(64)], key="h", label="All heads",
                             scores={"first token": weights[..., 0].mean(-1)}, off=[(1, 1)])

def letters():
    said = list("a statement is executed.")
    return widgets.matrix(attention(24, 24), rows=said, columns=said, key="l", label="Letters", height=280)

def tokens():
    return widgets.token_row(words, ids=list(range(50, 59)), values=np.arange(9.0), key="t", title="Text")

def film():
    frames = [{"step": 2**i, "loss": 4 - i / 4, "val_loss": 4.1 - i / 4, "sample": f"sample {i}", "tokens": words,
               "attention": attention(2, 2, 9, 9)} for i in range(10)]
    shown = st.session_state.setdefault("shown", 8)
    if st.button("More"):
        st.session_state.shown = shown = shown + 1
    return widgets.scrubber(frames[:shown], key="f", chance=math.log(50), label="A run")

def next_token():
    logits = np.log([[0.5, 0.3, 0.15, 0.05]] * 2)
    return dict(widgets.distribution(logits, tokens=["A", "B", "C", "D"], key="d", context_tokens=["x", "y"]))

@st.fragment(run_every=0.15)
def live():
    shown = st.session_state.shown = min(st.session_state.get("shown", 0) + 1, 12)
    frames = [{"step": i + 1, "loss": 4 - i / 4, "sample": f"sample {i}", "tokens": words,
               "attention": attention(4, 4, 9, 9)} for i in range(shown)]
    widgets.scrubber(frames, key="l", label="A run that goes on")

pages = {"matrix": matrix, "letters": letters, "heads": heads, "tokens": tokens, "film": film, "next": next_token}
pages["live"] = live
st.code(repr(pages[st.query_params["w"]]()))
"""


def _brightness(css: str) -> float:
    return sum(float(number) for number in re.findall(r"[\d.]+", css)[:3]) / 3


def _expect_code(page: Any, text: str) -> None:
    page.get_by_test_id("stCode").get_by_text(text).wait_for()


def test_hovering_asks_the_server_nothing(show: Callable[..., Any]) -> None:
    for name in ("matrix", "heads", "tokens", "film", "next"):
        page = show(name)
        box = page.locator(".gf").bounding_box()
        for i in range(1, 30):
            page.mouse.move(box["x"] + box["width"] * i / 60, box["y"] + 60 + i * 8)
        page.wait_for_timeout(300)
        assert page.sent == [], f"{name} sent {len(page.sent)} messages"


def test_hovering_a_cell_fills_the_formula_with_its_numbers(show: Callable[..., Any]) -> None:
    page = show("matrix")
    stage = page.locator(".gf-stage").first
    stage.focus()
    for key in ["ArrowDown"] * 5:
        stage.press(key)
    readout = page.locator(".gf-readout").inner_text()
    weight = re.search(r"weight (\d\.\d{4})", readout)
    formula = page.locator(".gf-formula").inner_text().replace("\n", " ")
    assert weight is not None and weight[1] in formula
    assert "1/√16" in formula and "(16 terms)" in formula
    lit = page.locator(".gf-label.on").all_inner_texts()
    assert lit == ["·the", "The"], "row and column of the cell are lit"


def test_keyboard_moves_the_cell_cursor_and_enter_selects(show: Callable[..., Any]) -> None:
    page = show("matrix")
    stage = page.locator(".gf-stage").first
    stage.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        stage.press(key)
    assert page.sent == []
    assert "·is" in page.locator(".gf-readout").inner_text()
    assert "“·is” (2)" in page.locator(".gf-live").inner_text(), "a screen reader hears it"
    stage.press("Enter")
    _expect_code(page, "{'row': 2, 'column': 1}")
    stage.press("Escape")
    _expect_code(page, "None")


def test_a_row_can_be_edited_and_applied(show: Callable[..., Any]) -> None:
    page = show("matrix")
    stage = page.locator(".gf-stage").first
    stage.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        stage.press(key)
    _expect_code(page, "{'row': 1, 'column': 1}")
    page.sent.clear()
    editor = page.locator(".gf-editor .gf-stage")
    editor.press("ArrowUp")
    page.get_by_role("button", name="Renormalize").click()
    assert page.sent == []
    page.get_by_role("button", name="Apply").click()
    _expect_code(page, "'edit': {'row': 1, 'weights': [")


def test_the_table_shows_the_numbers(show: Callable[..., Any]) -> None:
    page = show("matrix")
    page.get_by_role("button", name="Table").click()
    rows = page.locator(".gf-table tbody tr")
    assert rows.count() == 9
    assert rows.nth(0).locator("td").all_inner_texts() == ["1.0000", *["masked"] * 8]
    last = [float(cell) for cell in rows.nth(8).locator("td").all_inner_texts()]
    assert sum(last) == pytest.approx(1, abs=1e-3)
    page.get_by_role("button", name="Picture").click()
    assert page.locator(".gf-stage").first.is_visible()


def test_144_heads_are_one_message_under_800_kilobytes(url_of_page: str, open_page: Any) -> None:
    page = open_page(f"{url_of_page}/?w=heads")
    figure = page.locator(".gf[data-drawn]")
    figure.wait_for()
    size = int(figure.get_attribute("data-bytes") or 0)
    large = [n for n in page.received if n > 100_000]
    assert len(large) == 1 and size <= large[0] < 800_000
    print(f"144 heads: {size} bytes, decoded and drawn in {figure.get_attribute('data-ms')} ms")
    page.sent.clear()
    stage = page.locator(".gf-stage").first
    stage.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        stage.press(key)
    assert page.sent == []
    stage.press("Enter")
    _expect_code(page, "{'layer': 1, 'head': 1}")
    assert "knocked out" in page.locator(".gf-panel").inner_text()


def test_a_token_lights_its_id_and_a_click_selects_its_position(show: Callable[..., Any]) -> None:
    page = show("tokens")
    assert page.locator(".gf-chips button").all_inner_texts()[6:] == ["<b>", "語", "⏎"]
    page.locator(".gf-ids span").nth(4).hover()
    assert page.locator(".gf-chips button.on").inner_text() == "·the"
    page.locator(".gf-chips button").nth(2).hover()
    assert page.locator(".gf-ids span.on").inner_text() == "52"
    assert page.sent == []
    page.locator(".gf-chips button").nth(2).click()
    _expect_code(page, "2")


def test_frames_are_scrubbed_without_the_server_and_new_ones_do_not_pull_away(show: Callable[..., Any]) -> None:
    page = show("film")
    sample = page.locator(".gf-panel")
    more = page.get_by_role("button", name="More")
    assert sample.inner_text() == "sample 7", "starts at the newest frame"
    more.click()
    sample.get_by_text("sample 8").wait_for()
    page.sent.clear()
    page.get_by_role("button", name="Step back").click()
    page.get_by_role("button", name="Step back").click()
    assert sample.inner_text() == "sample 6"
    assert page.sent == []
    drawn = page.locator(".gf").get_attribute("data-drawn")
    more.click()
    page.locator(f".gf:not([data-drawn='{drawn}'])").wait_for()
    assert sample.inner_text() == "sample 6", "who scrubbed away stays there"
    page.get_by_role("button", name="Play").click()
    sample.get_by_text("sample 9").wait_for()


def test_a_run_that_goes_on_keeps_one_picture_at_its_newest_frame(show: Callable[..., Any]) -> None:
    page = show("live")
    page.locator(".gf-panel").get_by_text("sample 11").wait_for()
    assert page.locator(".gf").count() == 1


def test_sliders_recompute_here_and_tell_python_on_release(show: Callable[..., Any]) -> None:
    page = show("next")
    slider = page.get_by_label("top-p")
    after = page.locator(".gf-dist tbody tr td:nth-child(5)")
    assert after.all_inner_texts() == ["0.5000", "0.3000", "0.1500", "0.0500"]
    slider.evaluate("(s) => { s.value = 0.7; s.dispatchEvent(new Event('input', { bubbles: true })); }")
    assert after.all_inner_texts() == ["0.6250", "0.3750", "0", "0"]
    assert "cut by p" in page.locator(".gf-dist tbody tr").nth(2).inner_text()
    page.wait_for_timeout(200)
    assert page.sent == [], "nothing is sent while the slider moves"
    slider.evaluate("(s) => s.dispatchEvent(new Event('change', { bubbles: true }))")
    _expect_code(page, "'top_p': 0.7")
    assert after.all_inner_texts() == ["0.6250", "0.3750", "0", "0"], "the rerun leaves the slider where it is"


@pytest.mark.parametrize("name", ["matrix", "heads", "tokens", "film", "next"])
def test_nothing_overflows_a_telephone_and_dark_is_dark(show: Callable[..., Any], name: str) -> None:
    page = show(name, width=390, dark=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    figure = page.locator(".gf")
    wide, room = figure.evaluate("(f) => [f.scrollWidth, f.clientWidth]")
    assert wide <= room + 2, "what is wider scrolls inside its own box"
    background, text = figure.evaluate(
        """(f) => [getComputedStyle(document.querySelector('.stApp')).backgroundColor, getComputedStyle(f).color]"""
    )
    assert _brightness(background) < 60 and _brightness(text) > 180
    small = figure.evaluate("""(f) => [...f.querySelectorAll('button, select, input')].filter((b) => b.offsetParent)
        .map((b) => b.getBoundingClientRect()).filter((b) => b.width < 24 || b.height < 24).length""")
    assert small == 0, "every button is at least 24 pixels"


@pytest.mark.parametrize("kind", ["PNG", "SVG"])
def test_pictures_can_be_downloaded(show: Callable[..., Any], kind: str) -> None:
    page = show("matrix")
    with page.expect_download() as download:
        page.get_by_role("button", name=kind).click()
    assert download.value.suggested_filename == f"one-head.{kind.lower()}"
    content = Path(download.value.path()).read_bytes()
    if kind == "PNG":
        assert content.startswith(b"\x89PNG") and len(content) > 5_000
    else:
        assert b"&lt;b&gt;" in content and b"<b>" not in content and b"1.00" in content


@pytest.mark.parametrize("width", [390, 1280])
def test_no_letter_of_a_short_text_is_left_out(show: Callable[..., Any], width: int) -> None:
    """Small cells take small names: every second letter missing, a map of letters cannot be read."""
    page = show("letters", width=width)
    assert page.locator(".gf-label:visible").count() == 2 * 24
