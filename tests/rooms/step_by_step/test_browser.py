"""The walk and the dictionary in a real browser: stepping, pointing and dragging ask nobody; an edit is kept."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import address_has_no, settle, until

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.fixture
def open_room(visit: Callable[..., Any]) -> Callable[..., Any]:
    """`open_room(query) -> page` with the walk and the dictionary drawn."""

    def opened(query: str = "walk_step=x") -> Any:
        page = visit(f"steps?depth=numbers&{query}")
        page.wait_for_selector(".st-sheet td")
        page.wait_for_selector(".lk-table")
        return page

    return opened


def cell(page: Any, ref: str) -> Any:
    return page.locator(f'.st-sheet td[data-ref="{ref}"]').first


def current(page: Any) -> str:
    text: str = page.locator('.st-strip [aria-current="step"]').inner_text()
    return re.sub(r"[\d\s]", "", text)


def jump(page: Any, title: str) -> None:
    page.locator(".st-strip button", has_text=title).click()


def number(page: Any, ref: str) -> float:
    return float(cell(page, ref).inner_text().replace("−", "-"))


def test_stepping_and_pointing_ask_the_server_nothing(open_room: Callable[..., Any]) -> None:
    page = open_room()
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


def test_keyboard_alone_reaches_and_sets_a_cell(open_room: Callable[..., Any]) -> None:
    page = open_room("walk_step=scores")
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


def test_everything_after_an_edit_follows_and_a_link_holds_it(open_room: Callable[..., Any]) -> None:
    page = open_room("walk_step=out")
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


def test_columns_are_the_transpose(open_room: Callable[..., Any]) -> None:
    page = open_room("walk_step=weights")

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


def test_temperature_follows_the_finger_and_is_told_once(open_room: Callable[..., Any]) -> None:
    page = open_room()
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


def test_an_arrow_is_dragged_and_a_number_typed(open_room: Callable[..., Any]) -> None:
    page = open_room()
    stage = page.locator(".lk-plane .gf-stage").first
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    middle, center, unit = box["width"] / 2, box["height"] / 2, float(stage.get_attribute("data-unit"))
    page.sent.clear()
    page.mouse.move(box["x"] + middle + 0.8 * unit, box["y"] + center - 0.6 * unit)
    page.mouse.down()
    page.mouse.move(box["x"] + middle - 1.0 * unit, box["y"] + center, steps=6)
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
