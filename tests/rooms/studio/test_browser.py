"""The training studio in a real browser, with a real training: from the click to the curve, and through a reload."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rooms import address_has
from tests.chromium import LONGEST_WAIT

ROOT = Path(__file__).resolve().parents[3]
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
# On a page below the root Streamlit's own script first asks here whether the server lives below that path, too.
PROBES = ("/studio/_stcore/health", "/studio/_stcore/host-config")
# Counts the steps that come on the screen, and how often the page looks for more.
WATCH = """
window.noted = {steps: 0, looks: 0};
new MutationObserver(() => {
  const noted = window.noted;
  const step = document.querySelector(".st-key-gf-exhibit-live [data-testid=stProgress]")?.textContent;
  if (step && step !== noted.last) { noted.last = step; noted.steps += 1; }
}).observe(document.body, {subtree: true, childList: true, characterData: true});
new MutationObserver((changes) => {
  if (changes.some(({target}) => target.dataset.testScriptState === "running")) window.noted.looks += 1;
}).observe(document.querySelector("[data-testid=stApp]"), {attributeFilter: ["data-test-script-state"]});
"""


@pytest.fixture
def page(browser: Any, serve: Callable[..., str]) -> Iterator[Any]:
    """The studio in a fresh browser; anything that the page calls an error fails the test."""
    url = serve(ROOT / "app.py", GLASSFORMER_SLOTS="1")
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(LONGEST_WAIT * 1000)
    opened = context.new_page()
    errors: list[str] = []

    def note(message: Any) -> None:
        if message.type == "error" and not message.location.get("url", "").endswith(PROBES):
            errors.append(message.text)

    opened.on("console", note)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(f"{url}/studio")
    opened.wait_for_selector(READY)
    yield opened
    context.close()
    assert not errors, errors


def _step(page: Any) -> int:
    found = re.search(
        r"Step ([\d,]+) of", page.locator(".st-key-gf-exhibit-live [data-testid=stProgress]").inner_text()
    )
    assert found is not None
    return int(found[1].replace(",", ""))


def _until(page: Any, condition: Callable[[], bool]) -> None:
    """Wait in small steps: the page's security policy forbids Playwright's own way of waiting for an expression."""
    end = time.monotonic() + LONGEST_WAIT
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        page.wait_for_timeout(100)


def test_train_reload_pause_resume_stop(page: Any) -> None:
    from playwright.sync_api import expect

    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()
    page.evaluate(WATCH)
    page.get_by_role("button", name="Train", exact=True).click()
    live = page.locator(".st-key-gf-exhibit-live")
    expect(live.locator("[data-testid=stProgress]")).to_contain_text("Step")
    _until(page, lambda: page.evaluate("window.noted.steps") >= 3)
    n_look = page.evaluate("window.noted.looks")
    _until(page, lambda: page.evaluate("window.noted.looks") >= n_look + 3)  # nobody has to ask for more
    address_has(page, "run=")
    expect(live.get_by_text("What it writes now")).to_be_visible()

    before = _step(page)
    page.reload()
    page.wait_for_selector(READY)
    expect(live.locator("[data-testid=stProgress]")).to_contain_text("Step")
    assert _step(page) >= before

    page.get_by_role("link", name="Home", exact=True).click()
    expect(live).to_have_count(0)
    page.get_by_role("link", name="Training studio", exact=True).first.click()
    expect(live.locator("[data-testid=stProgress]")).to_contain_text("Step")
    assert _step(page) >= before

    live.get_by_role("button", name="Pause").click()
    expect(live.get_by_role("button", name="Resume")).to_be_visible()
    paused_at = _step(page)
    page.wait_for_timeout(1_000)
    assert _step(page) == paused_at

    live.get_by_role("button", name="Resume").click()
    _until(page, lambda: _step(page) > paused_at)
    live.get_by_role("button", name="Stop").click()
    expect(live.get_by_role("link", name="Look at its attention heads")).to_be_visible()
    expect(live.get_by_role("button", name="Resume")).to_be_visible()
    expect(live.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.locator(".st-key-gf-exhibit-film")).to_contain_text("step")
