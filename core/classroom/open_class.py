"""A class that is shown on screens of this process: its thread, its watch, and what each of its lines is told.

One whose file is locked or damaged holds up no other.
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

from core.classroom import registry, views
from core.classroom.codes import digest
from core.classroom.line import Line
from core.classroom.race import views as race
from core.classroom.refusals import ClassBusy, ClassDamaged, ClassRefused
from core.classroom.store import LOCK_SECONDS, Classroom, Whole
from core.lessons import class_answers

LOOK_SECONDS = 0.05
RACE_SECONDS = 0.5  # between two looks at the curves of a race
TICK_SECONDS = 15.0  # after which the desk is told anew who is still and who has gone
MOST_OF_LEARNER = 3  # screens; then the oldest is closed
MOST_OF_TEACHER = 8  # desks, and as many projectors, of a class
N_RETRY = 8  # of what a busy file has refused
OTHER_SCREEN = "You have opened this class on another screen since, so this one was closed."
SENT_OUT = "You are no longer in this class. If your teacher hasn't sent you out, reload this page to join again."
NEW_KEYS = "This class has new keys. Open this screen again from the desk."
_LOG = logging.getLogger("glassformer.classroom")
T = TypeVar("T")


class OpenClass:
    """A class that is shown on screens of this process."""

    def __init__(self, code: str) -> None:
        self.room = Classroom(code)
        self.lines: dict[Line, None] = {}  # in the order in which they came
        self.n_entering = 0
        self.board = ""  # the key to what stands on the projector
        self._known: int | None = -1  # the version that the lines were told last; -1: none
        self._asking: Asking | None = None
        self._noted: set[str] = set()  # whose answers count on the lesson's page
        self._race_due = math.inf  # when they are told next how the race stands
        self._thread = ThreadPoolExecutor(1, f"class-{code}")  # no answer waits for a disk
        self._watching: asyncio.Task[None] | None = None

    def add(self, line: Line) -> None:
        """Take a line in; the oldest of too many is closed."""
        same = [one for one in self.lines if (one.role, one.who) == (line.role, line.who)]
        if len(same) >= (MOST_OF_LEARNER if line.who else MOST_OF_TEACHER):
            same[0].end({"refused": OTHER_SCREEN, "is_out": True})
            del self.lines[same[0]]
        self.lines[line] = None
        self._known = -1  # it is told at the next look
        self._watching = self._watching or asyncio.create_task(self._watch())

    async def on_disk(self, do: Callable[..., T], *given: Any) -> T:
        """Call what reads or writes the class's file, in its thread; again, where the file is busy."""
        for _ in range(N_RETRY):
            with suppress(ClassBusy):
                return await self._in_thread(do, *given)
            await asyncio.sleep(LOCK_SECONDS)
        return await self._in_thread(do, *given)

    def close(self) -> None:
        """Let go of the file."""
        if self._watching is not None:
            self._watching.cancel()
        self._thread.submit(self.room.close)
        self._thread.shutdown(wait=False)

    async def _in_thread(self, do: Callable[..., T], *given: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, do, *given)

    async def _watch(self) -> None:
        """Tell all lines what has changed, and the desks how time passes."""
        ticked = 0.0
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if time.monotonic() - ticked > TICK_SECONDS:
                ticked, self._known = time.monotonic(), -1
                await self._in_thread(self.room.touch)
            try:
                await self._look()
            except ClassBusy:
                self._known = -1  # at the next look
            except ClassDamaged as damage:
                registry.set_aside(self.room.code, damage)
                for line in self.lines:
                    line.end({"refused": str(damage), "is_out": True})
                return
            except Exception:
                _LOG.exception("Class %s could not be read", self.room.code)
                await asyncio.sleep(1.0)

    def _note_answers(self, told: "Told") -> None:
        """Let answers count as predictions on the lesson's page, once the class may know what is right."""
        before, self._asking = self._asking, told.asking
        if told.has_ended:
            for owner in self._noted:
                class_answers.forget(owner)
            return
        now = told.asking
        is_over = before is not None and (now is None or now.n != before.n)
        over = now if now is not None and now.is_answered else before if is_over else None
        if over is not None:
            for owner, value in over.said.items():
                class_answers.note(owner, over.source, value)
            self._noted |= over.said.keys()

    async def _look(self) -> None:
        version = await self._in_thread(self.room.version)
        if version == self._known and time.monotonic() < self._race_due:
            return
        self._known = version
        told = await self._in_thread(_told, self.room, list(self.lines))
        self._note_answers(told)
        self.board, self._race_due = told.board, time.monotonic() + RACE_SECONDS if told.is_racing else math.inf
        for line, text in told.lines.items():
            if isinstance(text, str):
                line.tell(text)
            else:
                line.end(text)


@dataclass(frozen=True)
class Asking:
    """The question of a lesson that the class has before it, and what each browser has answered."""

    source: str
    n: int
    is_answered: bool
    said: Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What the lines of a class are told at one moment: text, or a last word before the line is closed."""

    lines: Mapping[Line, str | Mapping[str, Any]]
    is_racing: bool = False
    board: str = ""
    asking: Asking | None = None
    has_ended: bool = False


def _told(room: Classroom, lines: list[Line]) -> Told:
    """What each line is to be told now. In the class's thread."""
    try:
        whole = room.read()
    except (ClassBusy, ClassDamaged):
        raise
    except ClassRefused:
        return Told({line: {"ended": True} for line in lines}, has_ended=True)
    now, shared = time.time(), dict[str, str]()
    places = race.places_of(whole)

    def one(line: Line) -> str | Mapping[str, Any]:
        if line.role == "learner":
            if (me := whole.learners.get(line.who)) is None or me.is_out:
                return {"refused": SENT_OUT, "is_out": True}
            told = views.for_learner(whole, line.who) | {"race": race.for_learner(whole, line.who, places)}
            return json.dumps({"told": told})
        if digest(line.key) != whole.keys[line.role]:
            return {"refused": NEW_KEYS, "is_out": True}
        if line.role not in shared:
            shared[line.role] = json.dumps({"told": _for_teacher(line.role, whole, places, now)})
        return shared[line.role]

    said = {line: one(line) for line in lines}
    return Told(said, race.is_running(whole, places), whole.board[0], _asking(whole))


def _asking(whole: Whole) -> Asking | None:
    asked = whole.state.asked
    if asked is None or not (source := whole.questions[asked.n].source):
        return None
    answers = whole.answers.get((asked.n, asked.round), ())
    owners = {one.learner: whole.learners[one.learner].owner for one in answers}
    said = {owner: one.value for one in answers if (owner := owners[one.learner]) is not None}
    return Asking(source, asked.n, asked.is_answered, said)


def _for_teacher(role: str, whole: Whole, places: Sequence[Any], now: float) -> Mapping[str, Any]:
    if role == "desk":
        return views.for_desk(whole, now) | {"race": race.for_desk(whole, places)}
    return views.for_projector(whole) | {"race": race.for_projector(whole, places)}
