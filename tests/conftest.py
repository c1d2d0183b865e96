"""What runs when, on how many cores, and the programs that all folders need.

A test's tier follows from what it does, so that a new one finds its own:

- `browser`: it asks for a browser. All of these are `full`, but for the walk, a lesson, the engine and the widgets'
  scripts.
- `slow` (`.ci/run`): it opens pages, trains, starts a server or answers lessons; or it takes seconds. What takes long
  (`long_tests.txt`) takes turns: each change runs a sixth of it, and the pages of a sixth of the rooms.
- `full` (`.ci/full` alone): it holds texts against the examples that ship; or it is marked, or it isn't its turn.
- the rest: `pytest`.
"""

import os
import tempfile

# Our models are tiny: more threads than one wait for each other, and two workers on two cores take five times as long.
# It's set before anything imports NumPy or torch; workers and the servers that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Whoever runs the tests may have runs and texts of their own, perhaps of a newer version: no test sees or changes them.
if "PYTEST_XDIST_WORKER" not in os.environ:
    TEST_DATA = tempfile.TemporaryDirectory(prefix="glassformer-tests-", ignore_cleanup_errors=True)
    os.environ["GLASSFORMER_DATA"] = TEST_DATA.name

# isort: split
import asyncio
import re
import shutil
import sys
from collections import Counter
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime import context
from streamlit.testing.v1 import AppTest

from tests.shapes import pytest_runtest_setup  # first: it checks what is imported of core from here on

# isort: split
from tests.browser.firefox import firefox
from tests.browser.fixtures import _tabs, look_at, open_page, serve, show, url, url_of_page, url_of_tiny_model, visit
from tests.browser.webkit import webkit
from tests.chromium import FAULTS, browser, chromium_path
from tests.counts import is_turn
from tests.pages.fixtures import data, server

# For all folders; a second browser in the same process fails.
__all__ = ["_tabs", "browser", "chromium_path", "data", "firefox", "look_at", "open_page", "pytest_runtest_setup",
           "serve", "server", "show", "url", "url_of_page", "url_of_tiny_model", "visit",
           "webkit"]  # fmt: skip

IN_CI = "GLASSFORMER_NO_SKIP" in os.environ  # no test is skipped there, and none is slow in secret
IN_A_BROWSER = {
    f"test_{one}.py"
    for one in (
        "walk",
        "panes",
        "slides",
        "lessons",
        "scripts_of_the_world",
        "engine",
        "computed",
        "model_map",
        "notebook",
        "lesson_page",
        "classroom",
    )
}
SLOW = re.compile(
    r"tests/(browser|pages|safety|library/(learning|notebook))/|"
    r"(page|learning|experiments|answers\w*|/test_(chat|race|wrong_inputs|every_room))\.py$"
)
ROOT = Path(__file__).parents[1]
# The longest first, so that each change gets as much of them as any other.
_LONG = re.findall(r"^\d+ (\S+)", (ROOT / "tests/long_tests.txt").read_text(encoding="utf-8"), re.MULTILINE)
LONG_TESTS = {name: i for i, name in enumerate(_LONG)}
TURNS = 6
ROOMS = sorted(path.name for path in (Path(__file__).parent / "rooms").iterdir() if path.is_dir())
PAGE_OF_A_ROOM = re.compile(r"tests/rooms/(\w+)/test_\w*page\.py$")
CLAIMS = re.compile(r"/test_(\w+_)?claims\w*\.py$")
QUICK = "not slow and not full"  # as pyproject.toml has it
SERVERS = {"serve", "server", "watched"}
MANY_FILES = 40  # from here on it pays to start workers
N_CORE = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1  # ours to use

settings.register_profile("house", deadline=None)  # how long something takes is for benchmarks/, never for a test
settings.load_profile("house")
config.get_config_options()  # Streamlit reads them once, and a test may ask first from a folder of its own
# A page's test reads the metadata of all installed packages in search of components: a third of its time.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
# How long a page takes depends on who else uses the machine; one that hangs is ended, with all its threads told.
AppTest.default_timeout = property(lambda _: 800.0, lambda *_: None)
# AppTest's client is a mock, and noting each look for a cookie was a fifth of a page's time. There are no cookies.
context._get_client_context = lambda: None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """All cores for the house; a folder begins at once, in this process."""
    if config.option.keyword or config.option.collectonly:
        return 0
    asked = [Path(one.partition("::")[0]) for one in config.args]
    n_file = sum(len(list(path.rglob("test_*.py"))) for path in asked)
    return N_CORE if n_file >= MANY_FILES else 0


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`pytest` alone doesn't import, once for each worker, the files that have no quick test: a third of them."""
    is_all = not config.option.file_or_dir and config.option.markexpr == QUICK
    path = collection_path.as_posix()
    return True if is_all and path.endswith(".py") and (SLOW.search(path) or CLAIMS.search(path)) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each test into its tier. The walk takes minutes: it begins first, or one worker walks alone at the end."""
    n_case = Counter[str]()
    for item in items:
        fixtures, path = set(getattr(item, "fixturenames", ())), item.path.as_posix()
        if fixtures & {"browser", "firefox", "webkit"}:
            item.add_marker("browser")
            item.add_marker("slow" if item.path.name in IN_A_BROWSER else "full")
        elif CLAIMS.search(path):
            item.add_marker("claims")
            item.add_marker("full")
        elif fixtures & SERVERS or SLOW.search(path):
            room = PAGE_OF_A_ROOM.search(path)
            item.add_marker("slow" if room is None or is_turn(ROOMS.index(room[1]), TURNS) else "full")
        name = f"{item.path.relative_to(ROOT).as_posix()}::{getattr(item, 'originalname', item.name)}"
        if name in LONG_TESTS and not item.get_closest_marker("its_turn"):
            item.add_marker("slow" if is_turn(LONG_TESTS[name] + n_case[name], TURNS) else "full")
            n_case[name] += 1
    items.sort(key=lambda item: item.path.name != "test_walk.py")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Where nothing may be skipped, for want of a browser say, a skipped test fails."""
    report = yield
    if report.skipped and IN_CI:
        report.outcome = "failed"
        report.longrepr = f"skipped, where nothing may be: {report.longrepr[-1]}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Playwright's loop stands still between its calls; a test without a browser may run one of its own meanwhile."""
    loop = None if item.get_closest_marker("browser") else asyncio._get_running_loop()
    if loop is None:
        return (yield)
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop)


MAIN = sys.modules["__main__"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, Any, Any]:
    """AppTest leaves a page's script as the main module, and a process that a later test spawns would run it again.

    A page of a browser that has thrown, or has caught a fault, fails the test that looked at it, whatever that was for.
    """
    sys.modules["__main__"] = MAIN
    torn_down = yield
    found = [*FAULTS]
    FAULTS.clear()
    assert not found, f"faults in a browser: {found}"
    return torn_down


@pytest.fixture
def expected_faults() -> Generator[list[str], Any, Any]:
    """Faults of pages, for a test that provokes them; they don't fail it."""
    yield FAULTS
    FAULTS.clear()


@pytest.fixture
def reads_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    """The visitor has chosen the depth Numbers, and opened every panel Formula."""
    from core.ui.exhibit import exhibit_panels

    footer = exhibit_panels.show_code_and_download_panels

    def with_formulas(title: str, code: Any, drawn: Any, name: str) -> None:
        footer(title, code, drawn, name)
        exhibit_panels._formulas([] if drawn is None else drawn.formulas())

    monkeypatch.setattr("core.ui.frame.depth.DEFAULT", "numbers")
    monkeypatch.setattr(exhibit_panels, "show_code_and_download_panels", with_formulas)


@pytest.fixture(scope="session")
def node() -> str:
    """The program that runs the widgets' scripts outside of a browser."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: apt install nodejs")
    return found
