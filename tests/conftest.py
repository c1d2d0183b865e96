"""Node and two browsers; and where `GLASSFORMER_NO_SKIP` is set, as in .ci/run, a skipped test fails."""

import os
import shutil
import sys
from collections.abc import Generator
from functools import cache
from typing import Any

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner

from tests.browser.firefox import firefox
from tests.browser.fixtures import _tabs, look_at, open_page, serve, show, url, url_of_page, url_of_tiny_model, visit
from tests.chromium import browser, chromium_path
from tests.pages.fixtures import data, server

# For all folders; a second browser in the same process fails.
__all__ = ["_tabs", "browser", "chromium_path", "data", "firefox", "look_at", "open_page", "serve", "server", "show",
           "url", "url_of_page", "url_of_tiny_model", "visit"]  # fmt: skip


settings.register_profile("house", deadline=None)  # how long something takes is for benchmarks/, never for a test
settings.load_profile("house")
# A page's test reads the metadata of all installed packages in search of components: a third of its time.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    report = yield
    if report.skipped and os.environ.get("GLASSFORMER_NO_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"skipped, where nothing may be: {report.longrepr[-1]}"
    return report


# With every change one walks through the house by clicks, takes a lesson, and draws every script; the rest of what a
# browser is needed for takes half an hour.
IN_A_BROWSER = {"test_walk.py", "test_lessons.py", "test_scripts_of_the_world.py"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The walks take minutes: they begin first, or at the end one worker walks alone while the others wait."""
    for item in items:
        if item.get_closest_marker("browser") and item.path.name not in IN_A_BROWSER:
            item.add_marker("full")
    items.sort(key=lambda item: "browser/test_walk.py" not in item.nodeid)


MAIN = sys.modules["__main__"]


def pytest_runtest_teardown() -> None:
    """AppTest leaves a page's script as the main module, and a process that a later test spawns would run it again."""
    sys.modules["__main__"] = MAIN


@pytest.fixture
def reads_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    """The visitor has chosen the depth Formula."""
    monkeypatch.setattr("core.ui.frame.depth.DEFAULT", "formula")


@pytest.fixture(scope="session")
def node() -> str:
    """The program that runs the widgets' scripts outside of a browser."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: apt install nodejs")
    return found
