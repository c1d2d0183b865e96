"""The entrance of a class, which decides who may join, so that nobody is turned away because of a neighbor.

The right key or a known browser is always admitted, whatever else comes from the same address. A newcomer needs the
right code. Wrong codes are counted for each browser and each address, and each further one is answered later.
"""

import asyncio
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.classroom.codes import RateLimit
from core.classroom.live_class import OpenClass
from core.classroom.state import ClassRefused, RetryLater
from core.classroom.store import Classroom
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

MOST_FIRST = 1_000  # characters of the first message, which anyone may send
WRONG_CODES, WRONG_PAUSE, LONGEST_WAIT = 30, 2.0, 10.0  # 30 at once; each further one waits 2 s longer, up to 10
LOOKUPS, LOOKUP_PAUSE = 120, 0.05  # codes of newcomers that are looked up for one address: 20 a second
MAX_JITTER_SECONDS = 0.1  # seconds at most
NO_CLASS = LABELS["no_class"]
NEWCOMER = "Who are you?"  # a mark for a browser that is not in the class yet; it is never shown
NO_COOKIE = LABELS["no_cookies"]
_FIRST = ("code", "role", "key", "name")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class ConnectingBrowser:
    """A screen that asks to be admitted."""

    owner: str | None  # the browser's owner; None: it keeps no cookies
    address: str  # as limits count it, see `core.ui.server.identity.client_ip`
    mark: str = ""  # a mark of the address, for the class's file


@dataclass(frozen=True)
class AdmittedScreen:
    """An admitted screen: its class, its role, and its learner or its key."""

    opened: OpenClass
    role: str
    who: str = ""
    key: str = ""


class ClassAdmission:
    """The entrance of all classes of this process."""

    def __init__(self, n_process: int = 1) -> None:
        """Divide the limits among `n_process` processes, each of which has its own entrance."""
        self.lookups = RateLimit(max(1, LOOKUPS // n_process), LOOKUP_PAUSE * n_process)
        self.wrong = RateLimit(max(1, WRONG_CODES // n_process), WRONG_PAUSE * n_process, LONGEST_WAIT)

    async def enter(
        self, text: str, visitor: ConnectingBrowser, find: Callable[[str], OpenClass | None]
    ) -> AdmittedScreen:
        """Admit a screen by its first message.

        Args:
            text: the message, of any length and content.
            find: returns the class with a code, or None.

        Raises:
            ClassRefused: if it isn't admitted; the message says why.
            TryAgain: if it may be admitted in a moment.
        """
        try:
            said = read_message(text, MOST_FIRST)
        except ClassRefused:
            await self.turn_away(visitor)
            raise
        code, role, key, name = (one if isinstance(one := said.get(n), str) else "" for n in _FIRST)
        opened = find(code)
        if role == "learner":
            if visitor.owner is None:
                raise ClassRefused(NO_COOKIE)
            if opened and (who := await opened.on_disk(_known, opened.room, visitor.owner, key)):
                return AdmittedScreen(opened, role, who)
            self._look_up(visitor)
            if opened and said.get("is_new") is not True:
                raise ClassRefused(NEWCOMER)
            if opened:
                who = await opened.on_disk(opened.room.join, visitor.owner, name, visitor.mark)
                return AdmittedScreen(opened, role, who)
        elif opened is not None and await opened.on_disk(opened.room.opens, role, key):
            return AdmittedScreen(opened, role, key=key)
        else:
            self._look_up(visitor)
        await self.turn_away(visitor)
        raise ClassRefused(NO_CLASS)

    def _look_up(self, visitor: ConnectingBrowser) -> None:
        if not self.lookups.may(visitor.address):
            raise RetryLater(LABELS["many_codes"], 2.0)
        self.lookups.count(visitor.address)

    async def turn_away(self, visitor: ConnectingBrowser) -> None:
        """Count a wrong attempt and wait for its delay plus a random time, so that timing doesn't reveal a reason."""
        keys = [visitor.address, *([visitor.owner] if visitor.owner else [])]
        for key in keys:
            self.wrong.count(key)
        await asyncio.sleep(max(map(self.wrong.delay, keys)) + secrets.randbelow(1000) * MAX_JITTER_SECONDS / 1000)


def read_message(text: str, most: int) -> Mapping[str, object]:
    """Read a screen's message: a JSON object of at most `most` characters, without half a surrogate pair.

    Raises:
        ClassRefused: if it isn't such a message.
    """
    if len(text) > most:
        raise ClassRefused(LABELS["too_long"])
    try:
        said = json.loads(text)
        again = json.dumps(said, ensure_ascii=False)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise ClassRefused(LABELS["not_a_message"])
    if _SURROGATE.search(again):
        raise ClassRefused(LABELS["half_a_character"])
    return said


def _known(room: Classroom, owner: str, key: str) -> str:
    """Return the id of a browser's learner, by a link to return or by its cookie; "" for a newcomer."""
    return (room.come_back(owner, key) if key else None) or room.learner_of(owner) or ""
