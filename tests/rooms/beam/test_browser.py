"""The room of beam search in a real browser: the film by keys and clicks, one probability changed, a phone."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import figure, settle

# Whether anything is drawn between the prompt and the boxes of step 1.
LINES = """stage => {
  const canvas = stage.matches("canvas") ? stage : stage.querySelector("canvas"), k = canvas.width / canvas.clientWidth;
  const { data } = canvas.getContext("2d").getImageData(110 * k, 50 * k, 34 * k, 200 * k);
  return data.some((v, i) => i % 4 === 3 && v > 0);
}"""


def test_the_film_steps_by_keys_and_asks_the_server_nothing(visit: Callable[..., Any]) -> None:
    page = visit("beam")
    tree = figure(page, "3 texts at once")
    stage = tree.locator(".gf-stage").first
    said, readout, finished = (tree.locator(name) for name in (".gf-said", ".gf-readout", ".gf-pool"))
    assert "The search ends" in said.inner_text()
    assert "Then he looked" in finished.inner_text()
    page.sent.clear()
    stage.focus()
    page.keyboard.press("Home")
    assert "The prompt" in said.inner_text() and "none yet" in finished.inner_text()
    page.keyboard.press("ArrowRight")
    assert re.search(r"the prompt × 453 tokens are 453 candidates", said.inner_text())
    assert stage.evaluate(LINES)  # also while there is no best text yet
    page.keyboard.press("ArrowRight")
    assert re.search(r"3 go on, 3 are dropped", said.inner_text())
    page.keyboard.press("ArrowDown")
    assert "·Ben: " in readout.inner_text() and "goes on" in readout.inner_text()
    page.keyboard.press("End")
    box = stage.bounding_box()
    for step in range(20):
        page.mouse.move(box["x"] + 10 + step * 30, box["y"] + 40 + step * 8)
    # The third box of step 5, of a text that is not the winner: the sum of its five log-probabilities.
    page.mouse.click(box["x"] + 104 + 46 + 4 * 158 + 50, box["y"] + 26 + 2 * 44 + 18)
    numbers = [
        float(v.replace("−", "-").replace(" ", "")) for v in re.findall(r"− ?\d+\.\d+|\d+\.\d+", readout.inner_text())
    ]
    assert sum(numbers[:5]) == pytest.approx(numbers[5], abs=0.003)
    assert numbers[7] == pytest.approx(numbers[5] / 5, abs=0.002)
    page.keyboard.press("Escape")
    assert "In each box" in readout.inner_text()
    page.keyboard.press(" ")
    said.filter(has_text="Step 1").wait_for()  # from the beginning, by itself
    page.keyboard.press(" ")
    tree.get_by_role("button", name="Table").click()
    assert tree.locator(".gf-table tbody tr").count() == 7 * 6
    page.wait_for_timeout(300)
    assert page.sent == []


def test_controls_move_the_tree_and_a_change_moves_the_ranks(visit: Callable[..., Any]) -> None:
    page = visit("beam")
    slider = page.locator(".st-key-beam_b").get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("beam_b=4"))
    figure(page, "4 texts at once").wait_for()
    truth = page.locator(".st-key-gf-exhibit-truth")
    truth.get_by_text(re.compile("it takes 3 beams to find it")).wait_for()
    truth.get_by_text("Change one probability", exact=True).click()
    page.wait_for_url(re.compile("truth_change=true"))
    truth.get_by_text(re.compile("Greedy search ends at rank 1:")).wait_for()
    page.reload()
    settle(page)
    assert figure(page, "4 texts at once").is_visible()
    truth.get_by_text(re.compile("Greedy search ends at rank 1:")).wait_for()


def test_the_river_grows_word_by_word_without_the_server(visit: Callable[..., Any]) -> None:
    page = visit("beam?beam_b=1")
    river = page.locator("figure.gf").first
    page.sent.clear()
    sentence = river.locator(".gf-sentence")
    assert sentence.inner_text() == "Greedy takes Ben and ends at 17%. Beam search keeps Then, too, and ends at 41%."
    height = river.bounding_box()["height"]
    for step, leader in ((0, "Ben, with 58%"), (2, "Then he looked, with 42%")):
        river.get_by_role("slider", name="Tokens written").fill(str(step))
        assert leader in sentence.inner_text()
    assert abs(river.bounding_box()["height"] - height) < 1
    stage = river.locator(".gf-stage").first
    stage.focus()
    page.keyboard.press("ArrowDown")
    assert "Ben: 58% · goes on" in river.locator(".gf-readout").inner_text()
    page.wait_for_timeout(300)
    assert page.sent == []
    page.get_by_role("radio", name="1 = greedy").or_(page.get_by_role("button", name="1 = greedy")).first.click()
    sentence.get_by_text("With one text kept").wait_for()
