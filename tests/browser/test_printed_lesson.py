"""A lesson taken home, on paper: questions with room to answer, then answers and pictures; nothing to press."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.lessons.format import catalog
from core.lessons.format.lesson import CheckQuestion, ExhibitPart, PredictQuestion

pytestmark = pytest.mark.slow
SLUG = "short-masks"
DRAWN = (
    "document.querySelectorAll('.gf-question').length === {0} && document.querySelectorAll('[data-waits]').length > 0"
)
ORDER = "[...document.querySelector('main').children].map((one) => one.outerHTML)"
# What can be pressed or filled in, and which pictures there are, in the shadow trees of the widgets, too.
LOOK = """
(() => {
  const all = [], search = (root) => root.querySelectorAll("*").forEach((one) => {
    if (one.shadowRoot) search(one.shadowRoot);
    if (one.checkVisibility({ visibilityProperty: true })) all.push(one);
  });
  search(document.querySelector("main"));
  const size = (one) => one.getBoundingClientRect();
  return {
    controls: all.filter((one) => one.matches("button, input, select, textarea")).length,
    pictures: all.filter((one) => one.matches("svg, img") && size(one).width > 150 && size(one).height > 100).length,
    text: document.querySelector("main").innerText,
    wide: document.documentElement.scrollWidth,
  };
})()
"""


def test_a_printed_lesson_can_be_read_and_answered(browser: Any, tmp_path: Path) -> None:
    """Fault: on paper a lesson lacks its pictures or answers, shows buttons, or gives an answer beside its question."""
    file = tmp_path / "lesson.html"
    command = [sys.executable, "-m", "core.export", f"lessons/{SLUG}", "--out", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    parts = [part for step in catalog.catalog_lessons()[SLUG].steps for part in step.parts]
    questions = [part for part in parts if isinstance(part, PredictQuestion | CheckQuestion)]
    page = browser.new_page(viewport={"width": 680, "height": 960})  # A4 within its margins
    page.goto(file.as_uri())
    page.wait_for_function(DRAWN.format(len(questions)))
    page.get_by_text("A picture that is being drawn").wait_for(state="detached")
    before = page.evaluate(ORDER)

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    on_paper = page.evaluate(LOOK)
    assert on_paper["controls"] == 0 and on_paper["wide"] <= 680
    assert on_paper["pictures"] >= sum(isinstance(part, ExhibitPart) for part in parts) > 1
    asked, _, answers = on_paper["text"].partition("\nAnswers\n")
    assert answers.count("The answer is") == len(questions) and "The answer is" not in asked
    assert (
        "the answers are on the last pages" in asked
        and asked.count("☐") == page.locator(".gf-blank .gf-option").count() > 2
    )
    assert "_____ cells (0 to 36)" in asked and "21" not in asked and "21 cells" in answers
    for i, question in enumerate(questions, 1):
        assert question.ask[:30] in asked and f"Question {i}" in answers
    assert page.pdf(format="A4").startswith(b"%PDF")

    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.evaluate(ORDER) == before
    assert page.evaluate(LOOK)["controls"] > 0
    page.close()
