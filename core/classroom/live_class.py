"""A class that is shown on screens of this process: its thread, its watch task, and the messages to its screens.

A class whose file is locked or damaged doesn't delay any other.
"""

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.websockets import WebSocket

from core.classroom import registry, views
from core.classroom.class_file import LOCK_SECONDS
from core.classroom.codes import key_digest
from core.classroom.race import race_views as race
from core.classroom.state import ClassBusy, ClassDamaged, ClassRefused, ClassSnapshot
from core.classroom.store import Classroom
from core.data.localization.labels import module_labels
from core.lessons import learner_class_answers

LABELS = module_labels(__name__)

BURST, PER_SECOND = 40.0, 10.0  # messages of a screen
LOOK_SECONDS = 0.05
RACE_SECONDS = 0.5  # between two updates of the curves of a race
TICK_SECONDS = 15.0  # between two updates of the desk on who is inactive and who has gone
MOST_OF_LEARNER = 3  # screens of a learner; then the oldest is closed
MOST_OF_TEACHER = 8  # desks, and as many projectors, of a class
N_RETRY = 8  # of calls that failed because the file was busy
OTHER_SCREEN = LABELS["other_screen"]
SENT_OUT = LABELS["sent_out"]
NEW_KEYS = LABELS["new_keys"]
_LOG = logging.getLogger("glassformer.classroom")
T = TypeVar("T")


class MessageBudget:
    """A budget of messages: `burst` at once, then `per_second` a second."""

    def __init__(self, burst: float, per_second: float) -> None:
        self.burst, self.per_second = burst, per_second
        self._left, self._then = burst, time.monotonic()

    def may(self, cost: float = 1.0) -> bool:
        """Return whether one more message is allowed, and count it."""
        now = time.monotonic()
        self._left = min(self.burst, self._left + (now - self._then) * self.per_second) - cost
        self._then = now
        return self._left >= 0.0


class ScreenConnection:
    """A screen, with the next message to it and the last one."""

    def __init__(self, socket: WebSocket, role: str, who: str, key: str) -> None:
        """Serve the learner `who`, or a "desk" or "projector" with this key."""
        self.socket, self.role, self.who, self.key = socket, role, who, key
        self.news = asyncio.Event()
        self.messages = MessageBudget(BURST, PER_SECOND)
        self._next: str | None = None
        self._last = ""
        self._is_over = False

    def tell(self, told: str) -> None:
        """Queue the newest message; an earlier one that wasn't sent yet is dropped."""
        if told != self._last and not self._is_over:
            self._last = self._next = told
            self.news.set()

    def end(self, told: Mapping[str, object]) -> None:
        """Send a last message, and close."""
        self.tell(json.dumps(told))
        self._is_over = True

    async def send(self) -> None:
        """Send queued messages until the screen ends."""
        while True:
            await self.news.wait()
            self.news.clear()
            if self._next is not None:
                text, self._next = self._next, None
                await self.socket.send_text(text)
            if self._is_over:
                await self.socket.close()


class OpenClass:
    """A class that is shown on screens of this process."""

    def __init__(self, code: str) -> None:
        self.room = Classroom(code)
        self.screens: dict[ScreenConnection, None] = {}  # in order of arrival
        self.n_entering = 0
        self.board = ""  # the key to the page that is on the projector
        self._known: int | None = -1  # the version that was last sent to the screens; -1: none
        self._asking: _LessonQuestion | None = None
        self._noted: set[str] = set()  # owners whose answers count on the lesson's page
        self._race_due = math.inf  # the time of the next update of the race
        self._thread = ThreadPoolExecutor(1, f"class-{code}")  # so that no response waits for a disk
        self._watching: asyncio.Task[None] | None = None

    def add(self, screen: ScreenConnection) -> None:
        """Add a screen; if there are too many, the oldest is closed."""
        same = [one for one in self.screens if (one.role, one.who) == (screen.role, screen.who)]
        if len(same) >= (MOST_OF_LEARNER if screen.who else MOST_OF_TEACHER):
            same[0].end({"refused": OTHER_SCREEN, "is_out": True})
            del self.screens[same[0]]
        self.screens[screen] = None
        self._known = -1  # so that it is updated at the next check
        self._watching = self._watching or asyncio.create_task(self._watch())

    async def on_disk(self, do: Callable[..., T], *given: object) -> T:
        """Call a function that reads or writes the class's file, in its thread; retry while the file is busy."""
        for _ in range(N_RETRY):
            with suppress(ClassBusy):
                return await self._in_thread(do, *given)
            await asyncio.sleep(LOCK_SECONDS)
        return await self._in_thread(do, *given)

    def close(self) -> None:
        """Stop watching the class and close its file."""
        if self._watching is not None:
            self._watching.cancel()
        self._thread.submit(self.room.close)
        self._thread.shutdown(wait=False)

    async def _in_thread(self, do: Callable[..., T], *given: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, do, *given)

    async def _watch(self) -> None:
        """Send changes to all screens, and regular updates to the desks."""
        ticked = 0.0
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if time.monotonic() - ticked > TICK_SECONDS:
                ticked, self._known = time.monotonic(), -1
                await self._in_thread(self.room.touch)
            try:
                await self._look()
            except ClassBusy:
                self._known = -1  # retried at the next check
            except ClassDamaged as damage:
                registry.set_damaged_class_aside(self.room.code, damage)
                for screen in self.screens:
                    screen.end({"refused": str(damage), "is_out": True})
                return
            except Exception:
                _LOG.exception("Class %s could not be read", self.room.code)
                await asyncio.sleep(1.0)

    def _note_answers(self, told: "_Broadcast") -> None:
        """Count answers as predictions on the lesson's page, once the class may know the right answer."""
        before, self._asking = self._asking, told.asking
        if told.has_ended:
            for owner in self._noted:
                learner_class_answers.forget_class_answers(owner)
            return
        now = told.asking
        is_over = before is not None and (now is None or now.n != before.n)
        over = now if now is not None and now.is_answered else before if is_over else None
        if over is not None:
            for owner, value in over.said.items():
                learner_class_answers.store_class_answer(owner, over.source, value)
            self._noted |= over.said.keys()

    async def _look(self) -> None:
        version = await self._in_thread(self.room.version)
        if version == self._known and time.monotonic() < self._race_due:
            return
        self._known = version
        told = await self._in_thread(_told, self.room, list(self.screens))
        self._note_answers(told)
        self.board, self._race_due = told.board, time.monotonic() + RACE_SECONDS if told.is_racing else math.inf
        for screen, text in told.screens.items():
            if isinstance(text, str):
                screen.tell(text)
            else:
                screen.end(text)


@dataclass(frozen=True)
class _LessonQuestion:
    """The lesson's question that the class is answering, and each browser's answer."""

    source: str
    n: int
    is_answered: bool
    said: Mapping[str, object]


@dataclass(frozen=True)
class _Broadcast:
    """The messages to all screens of a class at one moment: text, or a last message before a screen is closed."""

    screens: Mapping[ScreenConnection, str | Mapping[str, object]]
    is_racing: bool = False
    board: str = ""
    asking: _LessonQuestion | None = None
    has_ended: bool = False


def _told(room: Classroom, screens: list[ScreenConnection]) -> _Broadcast:
    """Return the messages for each screen. Runs in the class's thread."""
    try:
        whole = room.read()
    except (ClassBusy, ClassDamaged):
        raise
    except ClassRefused:
        return _Broadcast({screen: {"ended": True} for screen in screens}, has_ended=True)
    now, shared = time.time(), dict[str, str]()
    places = race.current_racers(whole)

    def one(screen: ScreenConnection) -> str | Mapping[str, object]:
        if screen.role == "learner":
            if (me := whole.learners.get(screen.who)) is None or me.is_out:
                return {"refused": SENT_OUT, "is_out": True}
            told = views.learner_view(whole, screen.who) | {"race": race.learner_race_view(whole, screen.who, places)}
            return json.dumps({"told": told})
        if key_digest(screen.key) != whole.keys[screen.role]:
            return {"refused": NEW_KEYS, "is_out": True}
        if screen.role not in shared:
            shared[screen.role] = json.dumps({"told": _for_teacher(screen.role, whole, places, now)})
        return shared[screen.role]

    said = {screen: one(screen) for screen in screens}
    return _Broadcast(said, race.is_race_running(whole, places), whole.board[0], _asking(whole))


def _asking(whole: ClassSnapshot) -> _LessonQuestion | None:
    asked = whole.state.asked
    if asked is None or not (source := whole.questions[asked.n].source):
        return None
    answers = whole.answers.get((asked.n, asked.round), ())
    owners = {one.learner: whole.learners[one.learner].owner for one in answers}
    said = {owner: one.value for one in answers if (owner := owners[one.learner]) is not None}
    return _LessonQuestion(source, asked.n, asked.is_answered, said)


def _for_teacher(role: str, whole: ClassSnapshot, places: Sequence[Any], now: float) -> Mapping[str, object]:
    if role == "desk":
        return views.desk_view(whole, now) | {"race": race.desk_race_view(whole, places)}
    return views.projector_view(whole) | {"race": race.projector_race_view(whole, places)}
