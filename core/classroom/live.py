"""The lines to all screens of a class: one WebSocket each. What changes is on all of them at once.

    →  {"code": "K7M2QX", "role": "learner", "name": "Mia"}      first: who one is, and in which class
    ←  {"told": {…}}                                               and again after each change that one is to see
    →  {"do": "answer", "n": 1, "round": 1, "value": "same"}
    ←  {"refused": "This question is over."}

The class itself is on disk (`store`); here are only the lines. Whatever changes, by this process or another, is seen
because the file has changed, twenty times a second. To a slow line only the newest is sent.
"""

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from core.classroom import bank, results, rules, store, stories, views
from core.classroom.codes import Tries
from core.classroom.questions import MOST_SEED, QuestionRefused
from core.classroom.race import views as race
from core.classroom.store import OVER, ClassRefused, Classroom

LOOK_SECONDS = 0.05
RACE_SECONDS = 0.5  # between two looks at the curves of a race
TICK_SECONDS = 15.0  # after which the desk is told anew who is still and who has gone
MOST_LINES = 300  # of a class, and
MOST_OF_ONE = 8  # of one learner
MOST_LETTERS = 16_000  # of a message
BURST, PER_SECOND = 40.0, 10.0  # messages of a line
COMPUTED, COMPUTED_PER_SECOND = 30.0, 2.0  # what the server computes for one learner
COSTS = {"attack": 5.0}  # two models read a sentence
FIRST_SECONDS = 10.0  # in which a line must say who it is
NO_CLASS = "There is no class with this code. It may have ended."
NEWCOMER = "Who are you?"  # what a browser is asked that is not in the class yet
_LOG = logging.getLogger("glassformer.classroom")
T = TypeVar("T")


class Allowance:
    """So many at once, and then so many a second."""

    def __init__(self, burst: float, per_second: float) -> None:
        self.burst, self.per_second = burst, per_second
        self._left, self._then = burst, time.monotonic()

    def may(self, cost: float = 1.0) -> bool:
        """Whether one more is not too many."""
        now = time.monotonic()
        self._left = min(self.burst, self._left + (now - self._then) * self.per_second) - cost
        self._then = now
        return self._left >= 0.0


class Line:
    """A screen: what it is to be told, and what it was told last."""

    def __init__(self, socket: WebSocket, role: str, who: str) -> None:
        self.socket, self.role, self.who = socket, role, who
        self.news = asyncio.Event()
        self._next: str | None = None
        self._last = ""
        self.messages = Allowance(BURST, PER_SECOND)

    def tell(self, told: str) -> None:
        """The newest; what was not sent before it is forgotten."""
        if told != self._last:
            self._last = self._next = told
            self.news.set()

    async def send(self) -> None:
        """Send what there is, until the line ends."""
        while True:
            await self.news.wait()
            self.news.clear()
            if self._next is not None:
                text, self._next = self._next, None
                await self.socket.send_text(text)


class Lines:
    """All lines of this process."""

    def __init__(self) -> None:
        self._rooms: dict[str, tuple[Classroom, set[Line]]] = {}
        self._known: dict[str, int | None] = {}  # the version of each class that its lines were told last
        self._racing: dict[str, float] = {}  # when the lines of a class are told next how its race stands
        self._computing: dict[str, Allowance] = {}  # of each learner: what the server computes for one
        self._tries = Tries()
        self._disk = ThreadPoolExecutor(1, "classroom")  # no answer waits for a disk
        self._watch: asyncio.Task[None] | None = None

    async def serve(self, socket: WebSocket, owner: str, address: str) -> None:
        """A line from its first message to its end.

        Args:
            owner: whose browser it is, as `core.ui.server.identity.owner` calls them.
            address: from where it comes: so many wrong codes may come from one.
        """
        await socket.accept()
        try:
            line, room = await self._enter(socket, owner, address)
        except ClassRefused as refused:
            with suppress(WebSocketDisconnect, RuntimeError):
                await socket.send_json({"refused": str(refused), "is_out": True})
                await socket.close()
            return
        except (WebSocketDisconnect, TimeoutError):
            return
        sending = asyncio.create_task(line.send())
        try:
            await self._hear(line, room)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            sending.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sending
            self._leave(line, room)

    async def _enter(self, socket: WebSocket, owner: str, address: str) -> tuple[Line, Classroom]:
        said = _message(await asyncio.wait_for(_heard(socket), FIRST_SECONDS))
        role, key = str(said.get("role")), str(said.get("key") or "")
        found = self._found(str(said.get("code")), address)
        who = ""
        if role == "learner":
            who = await self._on_disk(_who, found, owner, key, str(said.get("name") or ""), said.get("is_new") is True)
        elif role not in ("desk", "projector") or not await self._on_disk(found.is_teacher, key):
            raise ClassRefused(NO_CLASS)
        room, lines = self._rooms.setdefault(found.code, (found, set()))
        if who and sum(one.who == who for one in lines) >= MOST_OF_ONE:
            raise ClassRefused("You have opened this class too often. Close a tab.")
        if len(lines) >= MOST_LINES:
            raise ClassRefused("Too many screens show this class.")
        line = Line(socket, role, who)
        lines.add(line)
        self._known.pop(room.code, None)  # it is told at the next look
        self._watch = self._watch or asyncio.create_task(self._look_around())
        return line, room

    def _found(self, code: str, address: str) -> Classroom:
        """The class of a code. All at once, so that of many tries at the same moment, too, each counts."""
        if not self._tries.may(address):
            raise ClassRefused("Too many wrong codes came from here. Wait a minute, then try again.")
        if (found := store.find(code)) is None:
            self._tries.count(address)
            raise ClassRefused(NO_CLASS)
        return found

    async def _hear(self, line: Line, room: Classroom) -> None:
        while True:
            text = await _heard(line.socket)
            if len(text) > MOST_LETTERS or not line.messages.may():
                await line.socket.send_json({"refused": "That was too much at once.", "is_out": True})
                await line.socket.close()
                return
            try:
                said = _message(text)
                do = str(said.get("do"))
                is_slow = do in rules.SLOW or (line.role == "desk" and do in _SLOW)
                if is_slow and line.who:
                    self._may_compute(line.who, COSTS.get(do, 1.0))
                in_thread = asyncio.to_thread if is_slow else self._on_disk
                reply = await in_thread(_do, line, room, said)
                if reply is not None:
                    await line.socket.send_json({"reply": reply, "to": do})
            except (ClassRefused, QuestionRefused) as refused:
                await line.socket.send_json({"refused": str(refused)})
                if str(refused) == OVER:
                    return
            except Exception:
                _LOG.exception("A message to class %s failed", room.code)
                await line.socket.send_json({"refused": "Something went wrong here; nothing is lost."})

    def _may_compute(self, who: str, cost: float) -> None:
        """Nobody keeps the processor busy for the others. Raises ClassRefused."""
        if not self._computing.setdefault(who, Allowance(COMPUTED, COMPUTED_PER_SECOND)).may(cost):
            raise ClassRefused("Not so fast: wait a moment.")

    def _leave(self, line: Line, room: Classroom) -> None:
        _, lines = self._rooms.get(room.code, (room, set()))
        lines.discard(line)
        if not lines and room.code in self._rooms:
            del self._rooms[room.code]
            self._racing.pop(room.code, None)
            self._disk.submit(room.close)
        if not self._rooms and self._watch:
            self._computing.clear()
            self._watch.cancel()
            self._watch = None

    async def _look_around(self) -> None:
        """Tell all lines what has changed, and the desks how time passes."""
        ticked = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if time.monotonic() - ticked > TICK_SECONDS:
                ticked = time.monotonic()
                self._known.clear()
            for code, (room, lines) in list(self._rooms.items()):
                try:
                    version = await self._on_disk(room.version)
                    is_due = time.monotonic() > self._racing.get(code, math.inf)
                    if is_due or code not in self._known or version != self._known[code]:
                        self._known[code] = version
                        is_racing, told = await self._on_disk(_told, room, list(lines))
                        for line, text in told.items():
                            line.tell(text)
                        self._racing[code] = time.monotonic() + RACE_SECONDS if is_racing else math.inf
                except Exception:
                    _LOG.exception("Class %s could not be read", code)

    async def _on_disk(self, do: Callable[..., T], *given: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, do, *given)


async def _heard(socket: WebSocket) -> str:
    """The next message. Raises WebSocketDisconnect at the end of the line."""
    heard = await socket.receive()
    if heard["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(heard.get("code", 1000))
    return heard.get("text") or ""  # of bytes nothing is heard


def _message(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise ClassRefused("This is no message of a class.")
    return said


def _who(room: Classroom, owner: str, key: str, name: str, is_new: bool) -> str:
    """The learner that a browser is: by its own link, by its cookie, or a new one."""
    who = (room.come_back(owner, key) if key else None) or room.learner_of(owner)
    if who is None and not is_new:
        raise ClassRefused(NEWCOMER)
    return who or room.join(owner, name)


def _do(line: Line, room: Classroom, said: dict[str, Any]) -> Any:
    """Do what a line says; what comes back is for this line alone. In a thread."""
    if line.role == "learner":
        if said.get("do") == "way back":
            return room.way_back(line.who)
        return rules.learner(room, line.who, said, time.time())
    if line.role == "desk" and (slow := _SLOW.get(str(said.get("do")))):
        return slow(room, said)
    return rules.teacher(room, said)


def _seed(said: Any) -> int:
    if type(said) is not int or not 0 <= said < MOST_SEED:
        raise QuestionRefused(f"A seed is a number from 0 to {MOST_SEED - 1:,}.")
    return said


_SLOW: Mapping[str, Callable[[Classroom, dict[str, Any]], Any]] = {
    "places": lambda _room, _said: bank.places(),
    "questions": lambda _room, said: (bank.of_room if said.get("is_room") else bank.of_lesson)(str(said.get("of"))),
    "ask known": lambda room, said: rules.ask(room, bank.question(str(said.get("source")))),
    "story": lambda _room, said: stories.beginning(_seed(said.get("seed"))),
    "table": lambda room, _said: results.table(room.read(everything=True)),
    "races": lambda room, _said: results.races(room.read(everything=True)),
    "page": lambda room, _said: results.page(room.read(everything=True)),
    "compute": lambda room, _said: rules.compute(room),
}


def _told(room: Classroom, lines: list[Line]) -> tuple[bool, dict[Line, str]]:
    """Whether a race is going on, and what each line is to be told now. In the thread of the disk."""
    try:
        whole = room.read()
    except ClassRefused:
        return False, dict.fromkeys(lines, json.dumps({"ended": True}))
    now, shared = time.time(), dict[str, str]()
    places = race.places_of(whole)

    def one(line: Line) -> str:
        if line.role != "learner":
            if line.role not in shared:
                if line.role == "desk":
                    told = views.for_desk(whole, now) | {"race": race.for_desk(whole, places)}
                else:
                    told = views.for_projector(whole) | {"race": race.for_projector(whole, places)}
                shared[line.role] = json.dumps({"told": told})
            return shared[line.role]
        me = whole.learners.get(line.who)
        if me is None or me.is_out:
            return json.dumps({"refused": "Your teacher has sent you out of this class.", "is_out": True})
        return json.dumps(
            {"told": views.for_learner(whole, line.who) | {"race": race.for_learner(whole, line.who, places)}}
        )

    return race.is_running(whole, places), {line: one(line) for line in lines}
