"""One Chromium for all tests that drive one. Where there is none, they skip and say in one line how to get it."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

HOW_TO = "no Chromium: run `playwright install chromium`, install the system's, or set CHROMIUM to its path"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LONGEST_WAIT = 180  # seconds until something that does not come fails its test; a slow machine is no fault
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]


# What no test may leave behind, whatever it looks at: errors of a page that nothing has caught (`window.onerror`, a
# rejected promise), and those that the frame has caught (`assets/widgets/drawing/fault.js`).
FAULTS: list[str] = []
CAUGHT = re.compile(r"Fault [0-9a-f]{8}: ")


def watch(context: Any) -> Any:
    """The same context; faults of its pages go to `FAULTS`."""
    context.on("weberror", lambda told: FAULTS.append(f"{told.error}"))
    context.on("console", lambda told: FAULTS.append(told.text) if CAUGHT.match(told.text) else None)
    return context


def _find_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).is_file() else None
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    with suppress(Exception):
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            own = playwright.chromium.executable_path
            return own if Path(own).is_file() else None
    return None


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where Chromium is; without one, or without Playwright, the test is skipped."""
    pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install -r requirements-dev.txt"
    )
    path = _find_chromium()
    if path is None:
        pytest.skip(HOW_TO)
    return path


@pytest.fixture(scope="session")
def browser(chromium_path: str) -> Iterator[Any]:
    """One Chromium for all tests; each test opens its own context."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=LONGEST_WAIT * 1000)
    with sync_playwright() as playwright:
        running: Any = playwright.chromium.launch(executable_path=chromium_path, args=ARGUMENTS)
        make = running.new_context
        running.new_context = lambda **how: watch(make(**how))
        running.new_page = lambda **how: running.new_context(**how).new_page()
        yield running
        running.close()
