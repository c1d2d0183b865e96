"""Every lesson from its first step to its last, as a learner takes it, on a server that trains and has no network."""

from collections.abc import Callable
from typing import Any

import pytest

from core.lessons.format import catalog
from tests.browser.learner import Learner
from tests.browser.rooms import ROOT, follow, still, until
from tests.counts import rest_is_full

LESSONS = catalog.catalog_lessons()


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    """The app with training, which does not stand back: other tests keep the machine busy."""
    return serve(ROOT / "app.py", GLASSFORMER_NICE="0")


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers computed in the test are those of a visitor who has trained nothing."""
    monkeypatch.setattr("core.ui.training.live_experiments._mine", lambda name: None)


def test_there_are_lessons() -> None:
    assert len(LESSONS) >= 14


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize("slug", rest_is_full(*LESSONS))
def test_a_learner_takes_the_whole_lesson(url: str, open_page: Callable[..., Any], slug: str) -> None:
    page = open_page(url)
    follow(page.locator(".st-key-gf-navigation"), "Lessons")
    page.locator(f".st-key-gf-room-lesson-{slug} a").first.click()
    Learner(page, LESSONS[slug]).whole_lesson()
    until(page, f"document.cookie.includes('{slug}')")
    page.get_by_role("link", name="All lessons").click()
    card = page.locator(f".st-key-gf-room-lesson-{slug}")
    card.get_by_text("Done", exact=True).wait_for()
    still(page)
