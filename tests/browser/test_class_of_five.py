"""A whole lesson in real browsers: a desk, a projector, a phone as remote, and five learners, one of them in Firefox.

From the code on the wall to the exported results. What each screen showed lies in the test's folder afterwards.
"""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.firefox import Firefox
from tests.browser.rooms import ROOT, follow, serious_faults
from tests.browser.test_classroom import Opened, app, begin, join, opened, shows

__all__ = ["opened"]
NAMES = ("Mia", "Tom", "Ada", "Lea")


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    """An app that trains."""
    return serve(ROOT / "app.py", GLASSFORMER_NICE="0")


class InFirefox:
    """The fifth learner."""

    def __init__(self, firefox: Firefox, url: str) -> None:
        self.firefox = firefox
        firefox.open(url, 1280, 800)

    def press(self, name: str) -> None:
        """Click a button by what stands on it."""
        self._click(f"[...document.querySelectorAll('button')].find(one => one.innerText.includes({json.dumps(name)}))")

    def write(self, label: str, text: str) -> None:
        """Type into a field."""
        self._click(f"document.querySelector('[aria-label={json.dumps(label)}]')")
        for letter in text:
            self.firefox.press(letter)

    def sees(self, text: str) -> None:
        """Wait until this stands on the class's page."""
        self.firefox.until(f"document.body.innerText.includes({json.dumps(text)})")

    def is_at(self, address: str) -> None:
        """Wait until its frame is there."""
        frame = "document.querySelector('iframe.app').contentWindow.location.href"
        self.firefox.until(f"{frame}.includes({json.dumps(address)})")

    def _click(self, element: str) -> None:
        self.firefox.until(f"{element} !== undefined && {element} !== null")
        place = "(one => {one.scrollIntoView({block: 'center'}); const r = one.getBoundingClientRect();"
        x, y = self.firefox.evaluate(f"{place} return [r.x + r.width / 2, r.y + r.height / 2];}})({element})")
        self.firefox.click(x, y)


@pytest.mark.full
def test_a_lesson_with_five_from_the_code_to_the_results(
    opened: Opened, url: str, firefox: Firefox, tmp_path: Path
) -> None:
    desk, projector, code = begin(opened)
    desk.get_by_role("button", name="Second device").click()
    link = desk.get_by_label("A phone as remote control").input_value()
    desk.get_by_role("button", name="Close").click()
    remote = opened(link.removeprefix(f"{url}/"), 390, has_touch=True)
    phones = [join(opened, code, name) for name in NAMES]
    phones[-1].set_viewport_size({"width": 1280, "height": 800})
    fifth = InFirefox(firefox, f"{url}/join#{code}")
    fifth.write("Nickname", "Kai")
    fifth.press("Join")
    fifth.sees("With the class")
    expect(remote.get_by_role("heading", name="Learners: 5")).to_be_visible()
    expect(projector.get_by_text("5 learners")).to_be_visible()
    screens = {"desk": desk, "projector": projector, "remote": remote, "mia": phones[0], "lea": phones[-1]}

    def look(moment: str) -> None:
        for name, page in screens.items():
            page.screenshot(path=tmp_path / f"{moment}-{name}.png")

    look("1-joined")
    # The phone leads: into a lesson, a question of it, in two rounds.
    projector.get_by_role("button", name="Begin").click()
    remote.get_by_label("A lesson", exact=True).select_option("masks")
    for phone in (projector, *phones):
        shows(phone, "lesson=masks&step=1")
    fifth.is_at("lesson=masks&step=1")
    look("2-lesson")
    remote.get_by_role("button", name="How many of the 36 cells").click()
    for round_ in (1, 2):
        for phone, value in zip(phones, ("21", "18", "15", "36") if round_ == 1 else ("21",) * 4, strict=True):
            answer(phone, value)
        fifth.write("Your answer", "30" if round_ == 1 else "21")
        fifth.press("Send")
        expect(projector.get_by_text("5 of 5 answered")).to_be_visible()
        look(f"3-answered-{round_}")
        if round_ == 1:
            pick_three(desk)
            expect(projector.locator(".pick")).to_have_count(3)
            remote.get_by_role("button", name="Reveal").click()
            expect(projector.locator("svg.histogram")).to_be_visible()
            look("4-revealed")
            remote.get_by_role("button", name="Vote again").click()
            fifth.sees("Round 2")
    remote.get_by_role("button", name="Let it be computed").click()
    for page in (projector, *phones):
        expect(page.get_by_text("has 21 open cells").first).to_be_visible()
    fifth.sees("has 21 open cells")
    look("5-computed")
    assert {name: serious_faults(page) for name, page in screens.items()} == dict.fromkeys(screens, "")
    remote.get_by_role("button", name="Done", exact=True).click()

    # A room, and the guess of its exhibit.
    app(projector).get_by_role("button", name="Leave presenter mode").click()
    follow(app(projector).get_by_test_id("stSidebar"), "Masks")
    for phone in phones:
        shows(phone, "/masks")
    fifth.is_at("/masks")
    remote.get_by_role("button", name="Without the mask the loss").click()
    for phone, option in zip(phones, ("higher", "about the same", "much lower", "much lower"), strict=True):
        phone.get_by_role("button", name=option, exact=True).click()
    fifth.press("higher")
    expect(projector.get_by_text("5 of 5 answered")).to_be_visible()
    remote.get_by_role("button", name="Let it be computed").click()
    expect(projector.get_by_text("The answer: much lower")).to_be_visible()
    remote.get_by_role("button", name="Reveal").click()
    expect(projector.locator(".bars")).to_be_visible()
    look("6-guess")
    remote.get_by_role("button", name="Done", exact=True).click()

    # A race of all.
    remote.get_by_label("Seconds of work").select_option("5")
    remote.get_by_role("button", name="Open the race").click()
    for phone in phones:
        phone.get_by_role("button", name="Enter the race").click()
    fifth.press("Enter the race")
    expect(projector.get_by_text("5 of 5 have entered")).to_be_visible()
    remote.get_by_role("button", name="Start", exact=True).click()
    expect(projector.locator("path.run.first")).to_be_visible()
    look("7-race")
    expect(remote.get_by_role("button", name="Explain the worst")).to_be_visible(timeout=180_000)
    fifth.sees("of 5")
    look("8-raced")
    remote.get_by_role("button", name="Done", exact=True).click()

    # Stuck; eyes up front; and what Kai found, on the wall.
    phones[1].get_by_role("button", name="I'm stuck").click()
    remote.get_by_role("button", name=re.compile("Tom ✋ stuck")).click()
    look("9-stuck")
    remote.get_by_role("button", name="Hand down").click()
    remote.get_by_role("button", name="Eyes up front").click()
    fifth.sees("Eyes up front")
    look("10-eyes-up")
    remote.get_by_role("button", name="Eyes up front").click()
    desk.get_by_role("button", name=re.compile("^Kai ")).click()
    desk.get_by_role("button", name="Show this screen").click()
    fifth.press("Yes, show it")
    expect(projector.get_by_text("What a learner found")).to_be_visible()

    # What is kept, and the end.
    desk.get_by_text("End the class").click()
    table = saved(desk, "All answers (CSV)")
    rows = list(csv.DictReader(table.splitlines()))
    assert {row["name"] for row in rows} == {*NAMES, "Kai"} and len(rows) == 15
    page = saved(desk, "A page without names")
    assert "Kai" not in page and "Tom" not in page and "36 cells" in page and "without the mask" in page.lower()
    (tmp_path / "class.html").write_text(page)
    assert "Kai" in saved(desk, "All races (CSV)")
    desk.get_by_role("button", name="End it and delete everything").click()
    fifth.sees("The class is over")
    for screen in (projector, remote, *phones):
        expect(screen.get_by_role("heading", name=re.compile("class (is over|has ended)|Your class"))).to_be_visible()
    look("11-over")
    assert firefox.errors == []


def answer(phone: Any, value: str) -> None:
    """A number."""
    phone.get_by_label("Your answer").fill(value)
    phone.get_by_role("button", name="Send").click()
    expect(phone.get_by_text("You can change it")).to_be_visible()


def pick_three(desk: Any) -> None:
    """Three answers beside each other on the projector."""
    for name in NAMES[:3]:
        desk.get_by_role("button", name=re.compile(f"^{name} ")).click()
        desk.get_by_role("button", name="Show this answer").click()
        desk.get_by_role("button", name=re.compile(f"^{name} ")).click()


def saved(desk: Any, name: str) -> str:
    """What a button of the desk gives to keep."""
    with desk.expect_download() as kept:
        desk.get_by_role("button", name=name).click()
    found: str = kept.value.path().read_text()
    return found
