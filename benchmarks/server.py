"""A separate server and a Chromium, for measurements and screenshots of the running app."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'

CHROMIUM: dict[str, Any] = {
    "executable_path": os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome"),
    "args": ["--no-sandbox", "--disable-dev-shm-usage"],
}


@contextmanager
def app_in_browser(**environment: str) -> Iterator[tuple[str, Any]]:
    """Run `streamlit run app.py` on a free port with an empty data folder, and a browser: (address, browser).

    Args:
        environment: settings of the server, such as `GLASSFORMER_TRAINING="off"`.
    """
    with streamlit(ROOT / "app.py", **environment) as (url, _), chromium() as browser:
        wait_until_warm(f"{url}/api/ready")
        yield url, browser


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**CHROMIUM)
        yield browser
        browser.close()


@contextmanager
def streamlit(script: Path, port: int = 0, **environment: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run `streamlit run` with an empty data folder and wait until it answers: (address, process).

    Args:
        port: 0 means a free one.
    """
    with tempfile.TemporaryDirectory() as data, closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        port = probe.getsockname()[1]
        probe.close()
        url = f"http://127.0.0.1:{port}"
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}", "--server.headless=true"],
            cwd=script.parent,
            env=os.environ | {"GLASSFORMER_DATA": data, "OMP_NUM_THREADS": "1"} | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        try:
            while not _answers(f"{url}/_stcore/health"):
                time.sleep(0.02)
            yield url, server
        finally:
            server.terminate()
            server.wait()


def _answers(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(url, timeout=5):
        return True
    return False


def wait_until_warm(url: str, cookie: str = "") -> None:
    """Wait until the server has made the imports and first computations of its pages.

    Args:
        url: of its `/api/ready`.
        cookie: names one of several processes; an answer with a different cookie came from a different one.
    """
    end = time.monotonic() + 300
    request = urllib.request.Request(url, headers={"Cookie": cookie})
    while time.monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(request, timeout=5) as answer:
            if json.load(answer)["warm"] and not answer.headers.get("set-cookie"):
                return
        time.sleep(0.2)
    raise RuntimeError("the server did not get warm")
