"""A real server, and pages of it in a real Chromium."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests import tiny_model
from tests.browser.rooms import READY, ROOT, click_through, settle
from tests.chromium import LONGEST_WAIT

# What a browser may complain of on its console. Everything else, errors and warnings alike, fails the test.
KNOWN = re.compile(
    "|".join(
        {
            "Streamlit asks for its health below the page's path first": r"Failed to load resource: .* status of 404",
            "the policy forbids an inline script that Streamlit does without": "inline script",
            "a test reads the pixels of a picture": "willReadFrequently|GPU stall due to ReadPixels",
        }.values()
    )
)


# The widgets' scripts, the fonts and the app's own policy, and nothing else of the app.
ALONE = """
import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import FileResponse
from starlette.routing import Route
from core.ui.server import assets
from core.ui.server.security_middleware import SecurityMiddleware, SecurityRules, _streamlit_script_hashes

def script(request):
    return FileResponse(assets.find_asset("widgets", request.path_params["file"]), media_type="text/javascript")

def font(request):
    return FileResponse(assets.find_asset("fonts", request.path_params["file"]), media_type="font/woff2")

rules = SecurityRules(script_hashes=_streamlit_script_hashes())
routes = [Route("/widgets/{file:path}", script), Route("/fonts/{file}", font)]
app = st.App("page.py", routes=routes, middleware=[Middleware(SecurityMiddleware, rules=rules)])
"""


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """`serve(app_path) -> url`: `streamlit run` on a free port, its own data folder, ended with the tests."""
    running: list[subprocess.Popen[bytes]] = []

    def start(app_path: str | Path, *options: str, **environment: str) -> str:
        port = _free_port()
        folder = tmp_path_factory.mktemp("server")
        log = folder / "server.log"
        own = {
            "GLASSFORMER_DATA": str(folder / "data"),
            "GLASSFORMER_WARM_UP": "off",
            "PYTHONPATH": str(ROOT),
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-m", "streamlit", "run", str(app_path), f"--server.port={port}", *options]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*command, "--server.address=127.0.0.1", "--server.headless=true"],
                cwd=ROOT,
                env=os.environ | own | environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        running.append(process)
        url = f"http://127.0.0.1:{port}"
        _wait(f"{url}/_stcore/health", process, log)
        return url

    yield start
    for process in running:
        _end(process)


def _new_page(browser: Any, errors: list[str], origin: str, width: int, dark: bool, options: dict[str, Any]) -> Any:
    """An empty page in a fresh context; its complaints go to `errors`, as does a request that leaves `origin`."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        locale="en-US",
        timezone_id="UTC",
        reduced_motion="reduce",
        color_scheme="dark" if dark else "light",
        **options,
    )
    context.set_default_timeout(LONGEST_WAIT * 1000)
    # A visitor who once chose this depth; the walks are those of somebody new.
    context.add_cookies([{"name": "gf_depth", "value": "numbers", "url": origin}])
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(f"{error}"))
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("request", lambda request: errors.append(request.url) if is_foreign(request.url, origin) else None)
    return counted(page)


def _go(page: Any, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(READY)


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """`open_page(url, width=, dark=) -> page` in a fresh context; any warning in its console fails the test."""
    contexts: list[Any] = []
    errors: list[str] = []

    def start(url: str, *, width: int = 1280, dark: bool = False, **options: Any) -> Any:
        page = _new_page(browser, errors, "/".join(url.split("/", 3)[:3]), width, dark, options)
        contexts.append(page.context)
        _go(page, url)
        return page

    yield start
    for context in contexts:
        context.close()
    complaints = [error for error in errors if not KNOWN.search(error)]
    assert not complaints, complaints


Tabs = dict[tuple[int, bool], tuple[Any, list[str]]]


@pytest.fixture(scope="module")
def _tabs() -> Iterator[Tabs]:
    """Pages that stay open, with their errors, by width and darkness."""
    tabs: Tabs = {}
    yield tabs
    for page, _ in tabs.values():
        page.context.close()


@pytest.fixture
def look_at(browser: Any, url: str, _tabs: Tabs) -> Iterator[Callable[..., Any]]:
    """`look_at(path, width=, dark=) -> page` of `url`, for tests that look at many pages and change nothing.

    All looks of one width share one tab, which goes from page to page by the links of the sidebar, as people do. An
    address with more than a page in it is typed.
    """
    used: list[list[str]] = []

    def start(path: str = "", *, width: int = 1280, dark: bool = False) -> Any:
        if (width, dark) not in _tabs:
            errors: list[str] = []
            _tabs[width, dark] = _new_page(browser, errors, url, width, dark, {}), errors
            _go(_tabs[width, dark][0], url)
        page, errors = _tabs[width, dark]
        used.append(errors)
        if "?" in path:
            _go(page, f"{url}/{path}")
        else:
            click_through(page, path)
        errors.clear()  # what the last page said at its end is not this one's
        return page

    yield start
    assert not [error for errors in used for error in errors if not KNOWN.search(error)]


@pytest.fixture(scope="session")
def url(serve: Callable[..., str]) -> str:
    """The app without training, as most modules look at it; one that needs another has its own `url`."""
    return serve(ROOT / "app.py", GLASSFORMER_TRAINING="off")


@pytest.fixture(scope="session")
def url_of_tiny_model(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same with a tiny model under the default's name, where the size of the pictures does not matter."""
    folder = tmp_path_factory.mktemp("tiny")
    tiny_model.write(folder / "models" / "stories")
    return serve(ROOT / "app.py", GLASSFORMER_DATA=str(folder), GLASSFORMER_TRAINING="off")


@pytest.fixture
def visit(open_page: Callable[..., Any], url: str) -> Callable[..., Any]:
    """`visit(path, width=, dark=) -> page` of `url`, drawn. A path is clicked in the sidebar, a query is typed."""

    def open_room(path: str = "", *, width: int = 1440, dark: bool = False) -> Any:
        page = open_page(f"{url}/{path}" if "?" in path else url, width=width, dark=dark)
        if "?" not in path:
            click_through(page, path)
        settle(page)
        return page

    return open_room


def is_foreign(address: str, origin: str) -> bool:
    """Whether a request leaves this server."""
    return not address.startswith((origin, "data:", "blob:"))


def counted(page: Any) -> Any:
    """The same page; it counts its messages from here on, and so can be waited for."""
    page.sent, page.received, page.asked_at = [], [], 0
    page.on("websocket", lambda socket: _count(socket, page))
    return page


def _count(web_socket: Any, page: Any) -> None:
    def sent(payload: Any) -> None:
        page.sent.append(len(payload))
        page.asked_at = len(page.received)  # what comes after it is, or follows, the answer

    web_socket.on("framesent", sent)
    web_socket.on("framereceived", lambda payload: page.received.append(len(payload)))


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"the server ended with {process.returncode}:\n{log.read_text(errors='replace')[-3000:]}")
        with suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)
    _end(process)
    pytest.fail(f"the server did not answer within {LONGEST_WAIT} s:\n{log.read_text(errors='replace')[-3000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    for wish in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, wish)
        try:
            process.wait(timeout=8)
            return
        except subprocess.TimeoutExpired:
            continue


@pytest.fixture(scope="module")
def url_of_page(
    serve: Callable[..., str], chromium_path: str, tmp_path_factory: pytest.TempPathFactory, request: Any
) -> str:
    """The script that the test's module holds as `PAGE`, alone behind the app's own policy."""
    folder = tmp_path_factory.mktemp("app")
    (folder / "page.py").write_text(request.module.PAGE)
    (folder / "server.py").write_text(ALONE)
    return serve(folder / "server.py")


@pytest.fixture
def show(url_of_page: str, open_page: Callable[..., Any]) -> Callable[..., Any]:
    """`show(name) -> page`: one widget of the module's `PAGE`, drawn; what was sent until then is not counted."""

    def start(name: str, **options: Any) -> Any:
        page = open_page(f"{url_of_page}/?w={name}", **options)
        page.wait_for_selector(".gf[data-drawn]")
        page.wait_for_timeout(300)
        page.sent.clear()
        page.received.clear()
        return page

    return start
