"""A Firefox for the tests that drive one, through WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).

Playwright drives only a Firefox of its own build; the protocol is a websocket that takes and gives JSON. Where there is
no Firefox, the tests skip and say in one line how to get it.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.chromium import CAUGHT, FAULTS, LONGEST_WAIT

HOW_TO = "no Firefox: install the system's (Debian: apt-get install firefox-esr), or set FIREFOX to its path"
NAMES = ("firefox-esr", "firefox")
PREFERENCES = {
    "network.proxy.type": 1,  # what asks for another machine gets no answer; this one is never asked through a proxy
    **{f"network.proxy.{kind}": "127.0.0.1" for kind in ("http", "ssl")},
    **{f"network.proxy.{kind}_port": 9 for kind in ("http", "ssl")},
    "ui.prefersReducedMotion": 1,
    "app.update.disabledForTesting": True,
    "app.normandy.enabled": False,
}


class Firefox:
    """One window. `errors` holds what the page has complained of since it was opened."""

    def __init__(self, socket: Connection) -> None:
        self._socket, self._asked = socket, 0
        self.errors: list[str] = []
        self._call("session.new", capabilities={})
        self._call("session.subscribe", events=["log.entryAdded"])
        self._window = self._call("browsingContext.getTree")["contexts"][0]["context"]

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": parameters}))
        while (told := json.loads(self._socket.recv(timeout=LONGEST_WAIT))).get("id") != self._asked:
            entry = told["params"]
            if told.get("method") == "log.entryAdded" and entry["level"] == "error":
                self.errors.append(f"{entry['text']}")
                if entry["type"] == "javascript" or CAUGHT.match(entry["text"]):
                    FAULTS.append(entry["text"])
        assert told["type"] == "success", told
        result: dict[str, Any] = told["result"]
        return result

    def open(self, url: str, width: int = 1280, height: int = 900) -> None:
        """Open an address in a window of this size, with nothing left of the page before."""
        self._call("browsingContext.setViewport", context=self._window, viewport={"width": width, "height": height})
        self._call("browsingContext.navigate", context=self._window, url="about:blank", wait="complete")
        self.errors.clear()
        self._call("browsingContext.navigate", context=self._window, url=url, wait="complete")

    def evaluate(self, script: str) -> Any:
        """What an expression gives in the page, as JSON holds it; a promise is waited for."""
        asked = f"Promise.resolve({script}).then(found => JSON.stringify(found) ?? 'null')"
        target = {"context": self._window}
        told = self._call("script.evaluate", expression=asked, target=target, awaitPromise=True, userActivation=True)
        assert told["type"] == "success", told["exceptionDetails"]["text"]
        return json.loads(told["result"]["value"])

    def until(self, script: str) -> None:
        """Wait until an expression is true in the page."""
        end = time.monotonic() + LONGEST_WAIT
        while not self.evaluate(script):
            assert time.monotonic() < end, f"not within {LONGEST_WAIT} s: {script}"
            time.sleep(0.1)

    def click(self, x: float, y: float) -> None:
        """Press and release at a place of the window, in CSS pixels."""
        moved = {"type": "pointerMove", "x": round(x), "y": round(y)}
        pressed = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act({"type": "pointer", "id": "mouse", "actions": [moved, *pressed]})

    def press(self, key: str) -> None:
        """Press and release a key: a letter, or one of the private signs of WebDriver."""
        pressed = [{"type": how, "value": key} for how in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": pressed})

    def _act(self, actions: dict[str, Any]) -> None:
        self._call("input.performActions", context=self._window, actions=[actions])


@pytest.fixture(scope="session")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """One Firefox for all tests; without one, the test is skipped."""
    path = os.environ.get("FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None or not Path(path).is_file():
        pytest.skip(HOW_TO)
    profile = tmp_path_factory.mktemp("firefox")
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
    (profile / "user.js").write_text("".join(lines))
    log = profile / "firefox.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [path, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile)],
            env=os.environ | {"HOME": str(profile), "MOZ_HEADLESS": "1"},
            stdout=output,
            stderr=output,
        )
    try:
        with connect(f"{_address(process, log)}/session", max_size=None, compression=None) as socket:
            yield Firefox(socket)
    finally:
        process.terminate()
        try:
            process.wait(timeout=8)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Where it listens, which it tells after its start."""
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end and process.poll() is None:
        if told := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace")):
            return told[1]
        time.sleep(0.1)
    pytest.fail(f"Firefox does not listen:\n{log.read_text(errors='replace')[-3000:]}")
