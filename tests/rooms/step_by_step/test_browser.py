"""The walk and the dictionary in a real browser: stepping, pointing and dragging ask nobody; an edit is kept."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rooms import address_has_no, until
from tests.chromium import LONGEST_WAIT

ROOT = Path(__file__).resolve().parents[3]
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
# Streamlit asks for its health below the page's path first; that is a 404 in the console of every deep link.
KNOWN = re.compile(r"Failed to load resource: the server responded with a status of 404|inline script")
PAGE = """
import streamlit as st
from core.rooms.step_by_step import ROOM
st.set_page_config(layout="wide")
ROOM.show("whole-walk")
ROOM.show("soft-look-up")
"""
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
SERVER = """
import streamlit as st
from core.ui.server import server
app = st.App("page.py", **server.options())
"""


@pytest.fixture(scope="module")
def url(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("steps")
    (folder / "page.py").write_text(PAGE)
    (folder / "app.py").write_text(SERVER)
    return serve(folder / "app.py", GLASSFORMER_TRAINING="off")


@pytest.fixture
def visit(browser: Any, url: str) -> Iterator[Callable[..., Any]]:
    """`visit(query, width=) -> page`, drawn; a fault in its console fails the test at its end."""
    contexts: list[Any] = []
    faults: list[str] = []

    def open_page(query: str = "", *, width: int = 1440) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 1000}, reduced_motion="reduce")
        context.set_default_timeout(LONGEST_WAIT * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        page.sent = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda data: page.sent.append(data)))
        page.goto(f"{url}/?{query}")
        settle(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not [fault for fault in faults if not KNOWN.search(fault)]


def settle(page: Any) -> None:
    page.wait_for_selector(".st-sheet td")
    page.wait_for_selector(".lk-table")
    page.wait_for_selector(READY)
    page.wait_for_timeout(250)


def cell(page: Any, ref: str) -> Any:
    return page.locator(f'.st-sheet td[data-ref="{ref}"]').first


def current(page: Any) -> str:
    text: str = page.locator('.st-strip [aria-current="step"]').inner_text()
    return re.sub(r"[\d\s]", "", text)


def jump(page: Any, title: str) -> None:
    page.locator(".st-strip button", has_text=title).click()


def number(page: Any, ref: str) -> float:
    return float(cell(page, ref).inner_text().replace("−", "-"))


def test_stepping_and_pointing_ask_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit()
    page.sent.clear()
    page.get_by_role("button", name="Next (right arrow)").click()
    assert current(page) == "Queries"
    page.keyboard.press("ArrowRight")
    assert current(page) == "Keys"
    page.keyboard.press("ArrowLeft")
    jump(page, "Scores")
    cell(page, "dots.0.5.4").hover()
    why = page.locator(".st-why").inner_text()
    assert "“mat” reads “the”, head 0" in why
    assert page.locator(".st-sheet td.from").count() == 4
    terms = [float(one.replace("−", "-")) for one in re.findall(r"−?-?\d+\.\d+", why)]
    *factors, total = terms
    assert sum(a * b for a, b in zip(factors[::2], factors[1::2], strict=True)) == pytest.approx(total, abs=0.03)
    page.get_by_role("button", name="Columns", exact=True).click()
    page.get_by_role("button", name="Play (Space)").click()
    page.wait_for_timeout(300)
    page.get_by_role("button", name="Pause (Space)").click()
    assert page.sent == []


def test_keyboard_alone_reaches_and_sets_a_cell(visit: Callable[..., Any]) -> None:
    page = visit("walk_step=scores")
    cell(page, "scores.0.0.0").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert page.locator(".st-why").inner_text().startswith("score: “sat” reads “cat”")
    page.keyboard.press("Enter")
    page.keyboard.type("7")
    page.keyboard.press("Escape")
    address_has_no(page, "walk_edits")
    page.keyboard.type("-1.5")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("walk_edits=scores.0.2.1"))
    assert number(page, "scores.0.2.1") == -1.5
    page.keyboard.press(" ")
    assert page.get_by_role("button", name="Pause (Space)").is_visible()


def test_everything_after_an_edit_follows_and_a_link_holds_it(visit: Callable[..., Any]) -> None:
    page = visit("walk_step=out")
    before = number(page, "out.0.5.0"), number(page, "out.0.4.0")
    jump(page, "Queries")
    cell(page, "q.0.5.1").click()
    page.keyboard.type("-4")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("walk_edits=q.0.5.1"))
    page.get_by_text("✓").first.wait_for()
    settle(page)
    difference = re.search(r"difference (\S+?)(?:·10(\S+))? in", page.locator(".st-badge").inner_text())
    assert difference and float(difference[1]) * 10.0 ** int((difference[2] or "0").translate(RAISED)) < 2e-6
    jump(page, "Output")
    after = number(page, "out.0.5.0")
    assert after != before[0] and number(page, "out.0.4.0") == before[1]
    page.reload()
    settle(page)
    assert number(page, "out.0.5.0") == after
    page.get_by_role("button", name="Undo", exact=True).click()
    until(page, "() => !location.href.includes('walk_edits')")
    assert number(page, "out.0.5.0") == before[0]


def test_columns_are_the_transpose(visit: Callable[..., Any]) -> None:
    page = visit("walk_step=weights")

    def shown() -> list[list[str]]:
        tables: Any = page.locator(".st-m.result table").first
        rows: list[list[str]] = tables.evaluate(
            "t => [...t.tBodies[0].rows].map(r => [...r.cells].filter(c => c.dataset.ref?.startsWith('weights'))"
            ".map(c => c.textContent)).filter(r => r.length)"
        )
        return rows

    rows = shown()
    page.get_by_role("button", name="Columns", exact=True).click()
    assert shown() == [list(column) for column in zip(*rows, strict=True)]
    assert "each column of the weights sums to 1" in page.locator(".st-story").inner_text()
    assert "column of S" in page.locator(".st-story").inner_text()


def test_temperature_follows_the_finger_and_is_told_once(visit: Callable[..., Any]) -> None:
    page = visit()
    page.sent.clear()
    heat = page.get_by_role("slider", name="Temperature")
    heat.scroll_into_view_if_needed()
    box = heat.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    before = page.locator(".lk-bar").first.inner_text()
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] / 2, steps=8)
    assert page.locator(".lk-bar").first.inner_text() != before
    assert page.sent == []
    page.mouse.up()
    page.wait_for_url(re.compile("lookup_numbers=0.0"))
    assert page.locator(".lk-answers").inner_text().count("(2.00, 0.50)") == 2


def test_an_arrow_is_dragged_and_a_number_typed(visit: Callable[..., Any]) -> None:
    page = visit()
    stage = page.locator(".lk-plane .gf-stage").first
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    middle, unit = box["width"] / 2, (box["width"] / 2 - 14) / 2.5
    page.sent.clear()
    page.mouse.move(box["x"] + middle + 0.8 * unit, box["y"] + middle - 0.6 * unit)
    page.mouse.down()
    page.mouse.move(box["x"] + middle - 1.0 * unit, box["y"] + middle, steps=6)
    assert page.get_by_label("query, number 0").input_value() == "−1"
    assert page.sent == []
    page.mouse.up()
    page.wait_for_url(re.compile("lookup_numbers=1~-1"))
    assert page.locator(".lk-table tr.best th").inner_text() == "west"
    field = page.get_by_label("key of north, number 1")
    field.fill("abc")
    field.press("Enter")
    assert "“abc” is not a number" in page.locator(".lk-problem").inner_text()
    assert field.input_value() == "1"
