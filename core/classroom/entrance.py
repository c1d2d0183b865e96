"""The entrance of a class: who may come in. Nobody is turned away because of a neighbor.

A right key and a known browser come in first, whatever else comes from their address. A newcomer comes in with the
right code. Wrong codes are answered later and later: they are counted for each browser and each address.
"""

import asyncio
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.classroom.codes import RateLimit
from core.classroom.open_class import OpenClass
from core.classroom.state import ClassRefused, TryAgain
from core.classroom.store import Classroom

MOST_FIRST = 1_000  # characters of the first message, which anyone may send
WRONG_CODES, WRONG_PAUSE, LONGEST_WAIT = 30, 2.0, 10.0  # so many at once; each further one waits so many seconds longer
LOOKUPS, LOOKUP_PAUSE = 120, 0.05  # codes of newcomers that are looked up for one address: 20 a second
JITTER = 0.1  # seconds at most
NO_CLASS = "There is no class with this code. A code has six letters or digits; it may also have ended."
NEWCOMER = "Who are you?"  # what a browser is asked that is not in the class yet
NO_COOKIE = (
    "Your browser keeps no cookies for this site, so the class couldn't recognize you. Allow them, then try again."
)
_FIRST = ("code", "role", "key", "name")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Visitor:
    """A screen that asks to come in."""

    owner: str | None  # whose browser it is; None: it keeps no cookies
    address: str  # as limits count it, see `core.ui.server.identity.address`
    mark: str = ""  # of the address, for the class's file


@dataclass(frozen=True)
class Admission:
    """A screen that has come in: as what, which learner it is, or with which key."""

    opened: OpenClass
    role: str
    who: str = ""
    key: str = ""


class Entrance:
    """The door of all classes of this process."""

    def __init__(self, n_process: int = 1) -> None:
        """Share the limits among `n_process` processes, each of which has a door of its own."""
        self.lookups = RateLimit(max(1, LOOKUPS // n_process), LOOKUP_PAUSE * n_process)
        self.wrong = RateLimit(max(1, WRONG_CODES // n_process), WRONG_PAUSE * n_process, LONGEST_WAIT)

    async def enter(self, text: str, visitor: Visitor, find: Callable[[str], OpenClass | None]) -> Admission:
        """Let a screen in by its first message.

        Args:
            text: the message, of any length and content.
            find: the class of a code.

        Raises:
            ClassRefused: why not, in plain words.
            TryAgain: it may be possible in a moment.
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
                return Admission(opened, role, who)
            self._look_up(visitor)
            if opened and said.get("is_new") is not True:
                raise ClassRefused(NEWCOMER)
            if opened:
                who = await opened.on_disk(opened.room.join, visitor.owner, name, visitor.mark)
                return Admission(opened, role, who)
        elif opened is not None and await opened.on_disk(opened.room.opens, role, key):
            return Admission(opened, role, key=key)
        else:
            self._look_up(visitor)
        await self.turn_away(visitor)
        raise ClassRefused(NO_CLASS)

    def _look_up(self, visitor: Visitor) -> None:
        if not self.lookups.may(visitor.address):
            raise TryAgain("Many codes are being tried from your network. Yours is tried again in a moment.", 2.0)
        self.lookups.count(visitor.address)

    async def turn_away(self, visitor: Visitor) -> None:
        """Count a wrong try and wait for its delay; a little longer by chance, so that no time tells why."""
        keys = [visitor.address, *([visitor.owner] if visitor.owner else [])]
        for key in keys:
            self.wrong.count(key)
        await asyncio.sleep(max(map(self.wrong.delay, keys)) + secrets.randbelow(1000) * JITTER / 1000)


def read_message(text: str, most: int) -> Mapping[str, object]:
    """Read a message of a screen: a JSON object of at most `most` characters, in whole characters.

    Raises:
        ClassRefused: it is none.
    """
    if len(text) > most:
        raise ClassRefused("This message is too long.")
    try:
        said = json.loads(text)
        again = json.dumps(said, ensure_ascii=False)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise ClassRefused("This is no message of a class.")
    if _SURROGATE.search(again):
        raise ClassRefused("Half of a character is missing in this text. Type it again.")
    return said


def _known(room: Classroom, owner: str, key: str) -> str:
    """The learner that a browser is, by a link to return or by its cookie; "" for a newcomer."""
    return (room.come_back(owner, key) if key else None) or room.learner_of(owner) or ""
