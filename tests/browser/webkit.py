"""WebKitGTK's MiniBrowser for the tests of Safari's engine, through plain WebDriver (https://w3c.github.io/webdriver/).

Where it, its driver or a display is missing, the tests skip and say in one line how to get them.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chromium import LONGEST_WAIT

HOW_TO = "no WebKit: Debian has it in webkit2gtk-driver, and a display without a screen in xvfb"
BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"
# Errors of the page and what it logs as one, from its first script on.
LISTEN = """window.complaints = []; addEventListener('error', e => complaints.push(e.message));
    addEventListener('unhandledrejection', e => complaints.push(String(e.reason)));"""


class WebKit:
    """One window."""

    def __init__(self, driver: str, browser: Path) -> None:
        self._http = httpx.Client(base_url=driver, timeout=LONGEST_WAIT, trust_env=False)
        wanted = {"webkitgtk:browserOptions": {"binary": str(browser), "args": ["--automation"]}}
        told = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{told['sessionId']}"
        limits = {"script": LONGEST_WAIT * 1000, "pageLoad": LONGEST_WAIT * 1000}
        self._ask("POST", f"{self._session}/timeouts", limits)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = self._http.request(method, path, json=body)
        told = answer.json()["value"]
        assert answer.is_success, told
        return told

    def open(self, url: str, width: int = 1280, height: int = 900) -> None:
        """Open an address in a window of this size, with nothing left of the page before."""
        self._ask("POST", f"{self._session}/window/rect", {"width": width, "height": height})
        self._ask("POST", f"{self._session}/url", {"url": "about:blank"})
        self._ask("POST", f"{self._session}/url", {"url": url})
        self.run(LISTEN)

    def run(self, script: str) -> Any:
        """Run statements in the page; what they return, as JSON holds it."""
        return self._ask("POST", f"{self._session}/execute/sync", {"script": script, "args": []})

    def evaluate(self, expression: str) -> Any:
        """What an expression gives in the page."""
        return json.loads(self.run(f"return JSON.stringify({expression}) ?? 'null'"))

    def until(self, expression: str) -> None:
        """Wait until an expression is true in the page."""
        end = time.monotonic() + LONGEST_WAIT
        while not self.evaluate(expression):
            assert time.monotonic() < end, f"not within {LONGEST_WAIT} s: {expression}"
            time.sleep(0.2)

    def end(self) -> None:
        """Close the window."""
        with suppress(Exception):
            self._ask("DELETE", self._session)
        self._http.close()


@pytest.fixture(scope="session")
def webkit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebKit]:
    """One MiniBrowser for all tests; without one, the test is skipped."""
    driver, display = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    browser = next(Path("/").glob(BROWSERS[1:]), None)
    if driver is None or display is None or browser is None:
        pytest.skip(HOW_TO)
    folder, port = tmp_path_factory.mktemp("webkit"), _free_port()
    log = (folder / "webkit.log").open("wb")
    read, write = os.pipe()
    shown = subprocess.Popen(
        [display, "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
        pass_fds=(write,),
        stdout=log,
        stderr=log,
    )
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    own = {
        "DISPLAY": f":{number}",
        "HOME": str(folder),
        "GDK_BACKEND": "x11",
        "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
    }
    driving = subprocess.Popen([driver, f"--port={port}"], env=os.environ | own, stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}", driving)
        window = WebKit(f"http://127.0.0.1:{port}", browser)
        yield window
        window.end()
    finally:
        for process in (driving, shown):
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=8)
            process.kill()
            process.wait()
        log.close()


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end and process.poll() is None:
        with suppress(httpx.HTTPError):
            httpx.get(f"{url}/status", trust_env=False)
            return
        time.sleep(0.1)
    pytest.fail("WebKitWebDriver does not answer")
