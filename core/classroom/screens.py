"""All screens of the classes, with one WebSocket each. A change reaches all of them at once.

    →  {"code": "K7M2QX", "role": "learner", "name": "Mia"}      the first message: the class, and who is joining
    ←  {"told": {…}}                                               and again after each change that the screen shows
    →  {"do": "answer", "n": 1, "round": 1, "value": "same"}
    ←  {"refused": "This question is over."}

The class itself is on disk (`store`); this module only has its screens. Changes by this process or another are noticed
because the file has changed, which is checked twenty times a second. A slow screen is only sent the newest state.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from core.classroom import message_handlers, registry, results
from core.classroom.class_admission import AdmittedScreen, ClassAdmission, ConnectingBrowser, read_message
from core.classroom.codes import projector_key
from core.classroom.live_class import NEW_KEYS, MessageBudget, OpenClass, ScreenConnection
from core.classroom.question_types import class_question_catalog, unseen_stories
from core.classroom.question_types.questions import MOST_SEED, QuestionRefused
from core.classroom.state import ClassDamaged, ClassEnded, ClassRefused, RetryLater
from core.classroom.store import Classroom
from core.data.localization.labels import module_labels
from core.ui.server.load_balanced_server import n_server_process

LABELS = module_labels(__name__)

MOST_SILENT = 100  # screens of an address that haven't identified themselves; then the oldest is closed
MOST_LETTERS = 16_000  # of a message
COMPUTED, COMPUTED_PER_SECOND = 30.0, 2.0  # computations for one learner: at once, and per second after that
COSTS = {"attack": 5.0}  # two models read a sentence
FIRST_SECONDS = 10.0  # in which a screen must identify itself
_LOG = logging.getLogger("glassformer.classroom")


class ClassScreenServer:
    """All screens of this process."""

    def __init__(self) -> None:
        self.entrance = ClassAdmission(n_server_process() or 1)
        self._open: dict[str, OpenClass] = {}
        self._silent: dict[str, dict[WebSocket, None]] = {}  # by address, in order of arrival
        self._computing: dict[str, MessageBudget] = {}  # the computations for each learner

    async def serve(self, socket: WebSocket, visitor: ConnectingBrowser) -> None:
        """Serve a screen from its first message to its end."""
        await socket.accept()
        with suppress(WebSocketDisconnect, TimeoutError, RuntimeError):
            try:
                entered = await self._enter(socket, visitor)
            except RetryLater as refused:
                await _send(socket, {"refused": str(refused), "again": refused.seconds})
                await socket.close()
                return
            except ClassRefused as refused:
                await _send(socket, {"refused": str(refused), "is_out": True})
                await socket.close()
                return
            screen, opened = ScreenConnection(socket, entered.role, entered.who, entered.key), entered.opened
            opened.n_entering -= 1
            opened.add(screen)
            sending = asyncio.create_task(screen.send())
            try:
                await self._hear(screen, opened)
            finally:
                sending.cancel()
                with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                    await sending
                opened.screens.pop(screen, None)
                self._close_unused(opened)

    def is_board(self, code: str, key: str) -> bool:
        """Return whether this key to the projector's page was sent to learners of this process."""
        opened = self._open.get(code)
        return opened is not None and key == opened.board != ""

    async def _enter(self, socket: WebSocket, visitor: ConnectingBrowser) -> AdmittedScreen:
        text = await self._first(socket, visitor.address)
        found: list[OpenClass] = []

        def find(code: str) -> OpenClass | None:
            if (room := registry.find_class(code)) is None:
                return None
            opened = self._open.get(room.code) or self._open.setdefault(room.code, OpenClass(room.code))
            opened.n_entering += 1
            found.append(opened)
            return opened

        try:
            return await self.entrance.enter(text, visitor, find)
        except BaseException as refused:
            for opened in found:
                opened.n_entering -= 1
                if isinstance(refused, ClassDamaged):
                    registry.set_damaged_class_aside(opened.room.code, refused)
                self._close_unused(opened)
            raise

    async def _first(self, socket: WebSocket, address: str) -> str:
        """Wait for the first message. If an address has too many silent screens, the oldest is closed."""
        silent = self._silent.setdefault(address, {})
        if len(silent) >= MOST_SILENT:
            oldest = next(iter(silent))
            del silent[oldest]
            with suppress(RuntimeError):
                await oldest.close()
        silent[socket] = None
        try:
            return await asyncio.wait_for(_heard(socket), FIRST_SECONDS)
        finally:
            silent.pop(socket, None)
            if not silent:
                self._silent.pop(address, None)

    def _close_unused(self, opened: OpenClass) -> None:
        if not opened.screens and not opened.n_entering and self._open.get(opened.room.code) is opened:
            del self._open[opened.room.code]
            opened.close()
        if not self._open:
            self._computing.clear()

    async def _hear(self, screen: ScreenConnection, opened: OpenClass) -> None:
        while True:
            text = await _heard(screen.socket)
            if len(text) > MOST_LETTERS or not screen.messages.may():
                await _send(screen.socket, {"refused": LABELS["too_much"], "is_out": True})
                await screen.socket.close()
                return
            try:
                said = read_message(text, MOST_LETTERS)
                do = str(said.get("do"))
                is_slow = do in message_handlers.SLOW_MESSAGES or (screen.role == "desk" and do in _SLOW)
                if is_slow and screen.who:
                    self._may_compute(screen.who, COSTS.get(do, 1.0))
                in_thread = asyncio.to_thread if is_slow else opened.on_disk
                reply = await in_thread(_do, screen, opened.room, said)
                if reply is not None:
                    await _send(screen.socket, {"reply": reply, "to": do})
            except (ClassRefused, QuestionRefused) as refused:
                await _send(screen.socket, {"refused": str(refused)})
                if isinstance(refused, ClassEnded):
                    return
            except (WebSocketDisconnect, RuntimeError):
                raise
            except Exception:
                _LOG.exception("A message to class %s failed", opened.room.code)
                await _send(screen.socket, {"refused": LABELS["failed"]})

    def _may_compute(self, who: str, cost: float) -> None:
        """Count a computation, and raise ClassRefused if this learner has requested too many."""
        if not self._computing.setdefault(who, MessageBudget(COMPUTED, COMPUTED_PER_SECOND)).may(cost):
            raise ClassRefused(LABELS["too_fast"])


async def _send(socket: WebSocket, said: Mapping[str, object]) -> None:
    await socket.send_text(json.dumps(said))  # in ASCII, so that any quoted text can be sent


async def _heard(socket: WebSocket) -> str:
    """Wait for the next message. Raises WebSocketDisconnect when the screen is closed."""
    heard = await socket.receive()
    if heard["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(heard.get("code", 1000))
    return heard.get("text") or ""  # messages of bytes are ignored


def _do(screen: ScreenConnection, room: Classroom, said: Mapping[str, object]) -> Any:
    """Carry out a screen's message and return the reply to this screen, if there is one. Runs in a thread."""
    do = str(said.get("do"))
    if screen.role == "learner":
        if do == "way back":
            return room.way_back(screen.who)
        return message_handlers.handle_learner_message(room, screen.who, said, time.time())
    if not room.opens(screen.role, screen.key):
        raise ClassRefused(NEW_KEYS)
    if screen.role == "projector":
        return message_handlers.handle_projector_message(room, said)
    if do == "projector key":
        return projector_key(screen.key)
    if do == "new keys":
        screen.key = room.new_keys()
        return screen.key
    if slow := _SLOW.get(do):
        return slow(room, said)
    return message_handlers.handle_teacher_message(room, said)


def _seed(said: object) -> int:
    if type(said) is not int or not 0 <= said < MOST_SEED:
        raise QuestionRefused(LABELS("seed_limits", most=MOST_SEED - 1))
    return said


_SLOW: Mapping[str, Callable[[Classroom, Mapping[str, object]], object]] = {
    "places": lambda _room, _said: class_question_catalog.question_sources(),
    "questions": lambda _room, said: (
        class_question_catalog.room_questions if said.get("is_room") else class_question_catalog.lesson_questions
    )(str(said.get("of"))),
    "ask known": lambda room, said: message_handlers.ask_class(
        room, class_question_catalog.find_question(str(said.get("source")))
    ),
    "story": lambda _room, said: unseen_stories.unseen_story_beginning(_seed(said.get("seed"))),
    "table": lambda room, _said: results.answers_csv(room.read(everything=True)),
    "races": lambda room, _said: results.races_csv(room.read(everything=True)),
    "page": lambda room, _said: results.class_results_html(room.read(everything=True)),
    "compute": lambda room, _said: message_handlers.show_correct_answer(room),
}
