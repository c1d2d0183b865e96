"""A lesson's messages, recorded once from a real Chromium that walks through some rooms.

Widgets have the same ids in every session, so any session can resend one browser's messages, each with the whole state
of its controls. A text contains a marker, which each session replaces by letters of its own.
"""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Error
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.answers import controls
from benchmarks.server import READY
from core.lessons.format import catalog
from core.lessons.format.lesson import ChoiceForm, PredictQuestion

MARK = "qqqqqq"
# At a lecture's depth, with more than a newcomer's two controls.
ROOMS = tuple(f"{room}depth=numbers" for room in ("heads?model={model}&", "heads?", "steps?"))
TRAINING_ROOM = "masks?depth=numbers"
N_PREDICTION = 3
LONGEST = 10.0  # seconds after which a control that cannot be moved is skipped


@dataclass(frozen=True)
class Move:
    """The messages that a browser sends for one action of a person, in order; none if the browser answers itself."""

    kind: str
    messages: tuple[bytes, ...]


@dataclass
class Recording:
    """The recorded actions of a class, as messages.

    Attributes:
        files: paths that a browser loads on its first visit.
        rooms: by address, the moves in it; the first opens it.
        predictions: steps of lessons; the first move opens one, the second commits a prediction.
        training: opens a room, and presses Train.
    """

    files: tuple[str, ...] = ()
    rooms: dict[str, list[Move]] = field(default_factory=dict)
    predictions: list[list[Move]] = field(default_factory=list)
    training: list[Move] = field(default_factory=list)


def record(
    url: str, browser: Any, model: str, rooms: tuple[str, ...] = ROOMS, n_control: int | None = None
) -> Recording:
    """Walk through the rooms at this address, once.

    Args:
        url: of a running server.
        browser: of Playwright.
        model: a name for the `{model}` in an address.
        n_control: the number of controls of each room to move; None: all.
    """
    recording, files = Recording(), Counter[str]()
    for address in rooms:
        walk = _Walk(browser, url, files)
        recording.rooms[address] = [walk.open(address.format(model=model)), *walk.texts(), *walk.controls(n_control)]
        walk.close()
    for lesson, step in _predictions()[:N_PREDICTION]:
        walk = _Walk(browser, url, files)
        opened = walk.open(f"lessons?lesson={lesson}&step={step}")
        recording.predictions.append([opened, walk.move("prediction", walk.predict)])
        walk.close()
    walk = _Walk(browser, url, files)
    recording.training = [walk.open(TRAINING_ROOM), walk.move("train", walk.train)]
    walk.close()
    recording.files = tuple(files)
    return recording


class _Walk:
    """A browser that records what it sends and loads."""

    def __init__(self, browser: Any, url: str, files: Counter[str]) -> None:
        self.url, self._sent = url, list[bytes]()
        self.page = browser.new_page()
        self.page.set_default_timeout(1000 * LONGEST)
        self.page.on("websocket", lambda socket: socket.on("framesent", self._note))
        self.page.on("request", lambda request: files.update(_own_path(request, url)))

    def _note(self, frame: bytes) -> None:
        message = BackMsg.FromString(frame)
        # Polling is excluded, because each session polls at its own times.
        if message.WhichOneof("type") == "rerun_script" and not message.rerun_script.is_auto_rerun:
            self._sent.append(frame)

    def move(self, kind: str, act: Callable[[], object], settle: float = 0.4) -> Move:
        self._sent.clear()
        act()
        self.page.wait_for_timeout(1000 * settle)
        self.page.wait_for_selector(READY, timeout=60_000)
        return Move(kind, tuple(self._sent))

    def open(self, address: str) -> Move:
        return self.move("open", lambda: self.page.goto(f"{self.url}/{address}"), settle=2.5)

    def texts(self) -> list[Move]:
        """Retype the first text of the room."""
        box = self.page.locator('[data-testid="stTextArea"] textarea:visible').first
        if not box.count():
            return []

        def write() -> None:
            box.fill(f"One day {MARK} found a red ball")
            box.press("Control+Enter")

        return [self.move("text", write)]

    def controls(self, most: int | None = None) -> list[Move]:
        """Move every control, or the first few, there and back; those that the browser answers itself send nothing."""
        moves: list[Move] = []
        for _, there, back in controls(self.page)[:most]:
            with suppress(Error):  # a control that was removed by another one
                moves += [self.move("control", there), self.move("control", back)]
        return moves

    def predict(self) -> None:
        self.page.locator("[role=radiogroup] label").first.click()
        self.page.get_by_role("button", name="Commit").first.click()

    def train(self) -> None:
        self.page.get_by_role("button", name=re.compile("^Train")).first.click()

    def close(self) -> None:
        self.page.close()


def _own_path(request: Any, url: str) -> list[str]:
    parts = urlsplit(request.url)
    is_file = request.method == "GET" and parts.netloc == urlsplit(url).netloc and "/media/" not in parts.path
    return [parts.path + (f"?{parts.query}" if parts.query else "")] if is_file else []


def _predictions() -> list[tuple[str, int]]:
    """Return the steps of lessons that begin with a multiple-choice question."""
    lessons = [entry.lesson for entry in catalog.lesson_files().values() if entry.lesson is not None]
    return [
        (lesson.slug, number)
        for lesson in lessons
        for number, step in enumerate(lesson.steps, 1)
        if any(isinstance(part, PredictQuestion) and isinstance(part.form, ChoiceForm) for part in step.parts)
    ]
