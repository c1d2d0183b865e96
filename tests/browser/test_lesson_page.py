"""A lesson taken home: one answers, it says whether that is right and shows what waited; a file, no request."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from core.export.lesson_page import _question
from core.lessons.format import catalog
from core.lessons.format.lesson import CheckQuestion, ChoiceForm, PredictQuestion
from tests.browser.firefox import Firefox

SLUG = "short-masks"


def test_a_lesson_taken_home_asks_and_answers_from_a_file(browser: Any, firefox: Firefox, tmp_path: Path) -> None:
    file = tmp_path / "lesson.html"
    command = [sys.executable, "-m", "core.export", f"lessons/{SLUG}", "--out", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    parts = [part for step in catalog.catalog_lessons()[SLUG].steps for part in step.parts]
    question = next(part for part in parts if isinstance(part, PredictQuestion) and isinstance(part.form, ChoiceForm))
    page = browser.new_page(viewport={"width": 390, "height": 844})
    problems: list[str] = []
    page.on("console", lambda one: problems.append(one.text))
    page.on("request", lambda one: problems.extend([one.url] if one.url.startswith("http") else []))
    page.goto(file.as_uri())
    waiting = page.locator("[data-waits]")
    questions = page.locator(".gf-question")
    n_question = sum(isinstance(part, PredictQuestion | CheckQuestion) for part in parts)
    questions.nth(n_question - 1).wait_for(state="attached")
    n_waiting = waiting.count()
    asked = questions.filter(has=page.locator("label")).first
    told = _question(question)
    right = list(told["options"]).index(told["right"])
    asked.get_by_role("radio").nth(right).check()
    asked.get_by_role("button", name="Commit").click()
    page.get_by_text("Yes.", exact=True).wait_for()
    assert waiting.count() < n_waiting
    while page.get_by_role("button", name="Just show me").count():
        page.get_by_role("button", name="Just show me").first.click()
    assert waiting.count() == 0 and page.locator("section.gf-own").count() >= 2
    page.get_by_text("A picture that is being drawn").wait_for(state="detached")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    figure, on_paper = page.locator("figure.gf").first, page.locator("figure.gf + svg").first
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert on_paper.is_visible() and not figure.is_visible()
    assert not page.locator(".gf-question button").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert figure.is_visible() and not on_paper.count()
    page.close()
    assert not problems

    firefox.open(file.as_uri())
    firefox.until(f"document.querySelectorAll('.gf-question').length === {n_question}")
    firefox.evaluate("document.querySelectorAll('.gf-question button:last-of-type').forEach(one => one.click())")
    firefox.until("!document.querySelector('[data-waits]') && !!document.querySelector('.gf-told')")
