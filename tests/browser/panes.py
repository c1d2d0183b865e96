"""Whether each exhibit on a page shows a picture or a text of its own, besides its title and tools."""

import re
from pathlib import Path
from typing import Any

from core.lessons.format.lesson import Lesson
from tests.browser.rooms import still, styled

SHOWN = (Path(__file__).parent / "panes.js").read_text(encoding="utf-8")
# What no person is to read: a value that isn't there, a place that wasn't filled, raw Markdown. (A sentence may begin
# with "None of them".)
SPOILT = re.compile(
    r"\b(nan|NaN|undefined|null|inf|Infinity)\b|(?<=[\w,:(=] )None\b|^None$|\[object |"
    r"\{\{|\}\}|\{[a-z_]+\}|\*\*|went wrong"
)
MEANT = re.compile(r"nan, not a number|but not nan|gives nan")  # the masks' own subject


def empty_panes(page: Any) -> tuple[list[str], list[str]]:
    """The exhibits that the page shows, and all in them that is empty or broken; each of their tabs is opened."""
    styled(page)
    names, faults = _look(page)
    tabs = page.locator('[class*="st-key-gf-pane-"] [role=tab]')
    closed = [at for at in range(tabs.count()) if tabs.nth(at).get_attribute("aria-selected") == "false"]
    for at in closed:
        tabs.nth(at).click()
        faults += _look(page)[1]
    return names, faults


def _look(page: Any) -> tuple[list[str], list[str]]:
    still(page)
    page.evaluate(SHOWN)
    seen = page.evaluate("panes()")
    if any(one["empty"] for one in seen["exhibits"]):  # on a busy machine a chart may come after all has been answered
        page.wait_for_timeout(3_000)
        still(page)
        seen = page.evaluate("panes()")
    faults = [f"{one['name']} {what}" for one in seen["exhibits"] for what in one["empty"]] + seen["faults"]
    said = [one for one in page.evaluate("panes.texts()") if SPOILT.search(one) and not MEANT.search(one)]
    faults += [f"“{one[:200]}” is on the page" for one in said]
    return [one["name"] for one in seen["exhibits"]], faults


def reveal(page: Any) -> None:
    """Have all questions answered that hold something back."""
    buttons = page.locator("[data-testid=stMain]").get_by_role("button", name="Just show me")
    for _ in range(12):
        if not buttons.count():
            break
        buttons.first.click()
        still(page)


def empty_in_lesson(page: Any, lesson: Lesson) -> list[str]:
    """Everything that is empty in a lesson whose first step is open, from step to step."""
    faults = []
    for number, step in enumerate(lesson.steps, 1):
        page.get_by_text(f"Step {number} of {len(lesson.steps)}", exact=True).wait_for()
        still(page)
        reveal(page)
        faults += [f"step {number}: {one}" for one in empty_panes(page)[1]]
        if step is not lesson.steps[-1]:
            page.locator(".st-key-gf-lesson-next button").click()
    return faults
