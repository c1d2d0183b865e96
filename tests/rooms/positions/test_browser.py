"""The room of positions in a real browser: hands follow the finger, nothing is sent before it is let go."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.rooms import figure, settle


def test_the_hands_follow_the_finger_and_the_server_hears_at_the_end(visit: Callable[..., Any]) -> None:
    page = visit("positions?clock=0.5.1")
    page.locator(".st-key-gf-panel-clock-hands button", has_text="Formula").click()
    picture = figure(page, "64 positions of 16 numbers")
    readout = picture.locator(".gf-readout")
    assert "dot product of positions 0 and 5 = 6.1370" in readout.inner_text()
    picture.scroll_into_view_if_needed()
    page.sent.clear()
    box = picture.get_by_role("slider", name="position t").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 4, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=8)
    page.wait_for_timeout(300)
    assert page.sent == []
    moved = re.search(r"positions (\d+) and (\d+) = (\S+)", readout.inner_text())
    assert moved is not None and int(moved[1]) > 20
    assert int(moved[2]) - int(moved[1]) == 5
    assert moved[3] == "6.1370"  # the distance has not changed
    page.mouse.up()
    page.wait_for_url(re.compile(rf"clock={moved[1]}\.5\.1"))
    settle(page)
    assert page.locator(".katex", has_text=f"{moved[1]}").count() >= 1  # the formula below follows


def test_keys_and_clicks_turn_the_clocks_and_hovering_asks_nobody(visit: Callable[..., Any]) -> None:
    page = visit("positions?clock=5.0.0&open=one-rotation")
    picture = figure(page, "64 positions of 16 numbers")
    stage, readout = picture.locator(".gf-stage"), picture.locator(".gf-readout")
    page.sent.clear()
    for title in ("64 positions", "The rotation"):
        box = figure(page, title).locator(".gf-stage").first.bounding_box()
        for step in range(10):
            page.mouse.move(box["x"] + 20 + step * 20, box["y"] + 20 + step * 10)
    stage.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        stage.press(key)
    assert "position 7" in readout.inner_text() and "pair 1:" in readout.inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []
    for key, place in (("Enter", r"7\.0\.1"), ("Escape", r"0\.0\.0")):
        stage.press(key)
        page.wait_for_url(re.compile(f"clock={place}"))
    assert "position 0" in readout.inner_text()
    box = stage.bounding_box()
    stage.click(position={"x": 3.5 * 112, "y": 50})
    assert "pair 3:" in readout.inner_text()
    stage.click(position={"x": box["width"] - 12, "y": box["height"] - 40})
    assert "position 63" in readout.inner_text() and "pair 7:" in readout.inner_text()
    settle(page)
    assert "position 63" in readout.inner_text()  # what was said earlier does not come back


def test_sliding_both_keeps_the_score_and_sliding_one_does_not(visit: Callable[..., Any]) -> None:
    page = visit("positions?rotary=9.4")
    picture = figure(page, "Query and key, turned")
    readout = picture.locator(".gf-readout")
    score = re.search(r"score (\S+)", readout.inner_text())[1]  # type: ignore[index]
    picture.get_by_role("slider", name="slide both").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight", delay=5)
    assert "query at 15, key at 10" in readout.inner_text()
    assert f"score {score}" in readout.inner_text()
    picture.get_by_role("slider", name="query at").focus()
    page.keyboard.press("ArrowRight")
    assert f"score {score}" not in readout.inner_text()
    page.wait_for_url(re.compile(r"rotary=16\.10"))
    # The formula, from Python, holds the number that the browser shows.
    page.locator(".st-key-gf-panel-rotary-pair button", has_text="Formula").click()
    settle(page)
    shown = re.search(r"score (\S+)", readout.inner_text())[1]  # type: ignore[index]
    assert page.locator(".katex", has_text="16").filter(has_text=shown).count() >= 1
    for kind in ("PNG", "SVG"):
        with page.expect_download() as got:
            picture.get_by_role("button", name=kind).click()
        assert Path(got.value.path()).stat().st_size > 1000
    picture.get_by_role("button", name="Table").click()
    assert picture.locator(".gf-table td").count() > 10
