"""The members of a simulated class: learners who answer and follow, and hostile ones who try everything."""

import asyncio
import json
import random
import time
from contextlib import suppress
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from benchmarks.classroom import Frame
from core.classroom.race.race_settings import RACE_SETTINGS

SECONDS = 60.0  # the time limit for everything
EXPECTED = ("This question is over.", "The answers are being shown", "There is no such race")  # if late


class Class:
    """The shared state of a simulated class: the server's address and the counters."""

    def __init__(self) -> None:
        self.url, self.code, self.key = "", "", ""
        self.faults: list[str] = []
        self.n_message = self.n_reconnect = self.n_answer = 0
        self.is_over = False
        self.up = asyncio.Event()
        self.n_learner = 0
        self.since = 0.0  # when the teacher went to the current room
        self.boards = list[float]()  # seconds from then until each had the projector's content, and
        self.rooms = list[float]()  # the room itself

    def client(self) -> httpx.AsyncClient:
        """Make an HTTP client for one browser, without certificates, because loading them sixty times is slow."""
        return httpx.AsyncClient(base_url=self.url, timeout=60, verify=False)


class Screen:
    """A connection to the class that reconnects by itself."""

    def __init__(self, of: Class, **first: Any) -> None:
        self.of, self.first = of, first
        self.told: dict[str, Any] = {}
        self.at = 0.0  # when the last message arrived
        self.news = asyncio.Condition()
        self.socket: ClientConnection | None = None
        self.cookie = ""

    async def live(self) -> None:
        """Run until the lesson is over."""
        while not self.of.is_over:
            await self.of.up.wait()
            try:
                await self._connected()
            except (OSError, WebSocketException, TimeoutError, httpx.HTTPError):
                self.of.n_reconnect += 1
            self.socket = None
            await asyncio.sleep(random.uniform(0.1, 0.6))

    async def _connected(self) -> None:
        if not self.cookie:
            async with self.of.client() as client:
                await client.get("/join")
                self.cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        async with connect(
            f"{self.of.url.replace('http', 'ws')}/classroom/line", origin=Origin(self.of.url),
            additional_headers={"Cookie": self.cookie}, max_size=None, open_timeout=30,
        ) as socket:  # fmt: skip
            await socket.send(json.dumps({"code": self.of.code, **self.first}))
            self.socket = socket
            async for text in socket:
                self.of.n_message += 1
                await self.hear(json.loads(text))

    async def hear(self, said: dict[str, Any]) -> None:
        """Handle a message."""
        if "told" in said:
            async with self.news:
                self.told, self.at = said["told"], time.perf_counter()
                self.check()
                self.news.notify_all()
        elif "refused" in said:
            self.refused(said["refused"])

    def check(self) -> None:
        """Check that a message reveals only what it may."""

    def refused(self, why: str) -> None:
        if not why.startswith(EXPECTED):
            self.of.faults.append(f"{self.first['role']} refused: {why}")

    async def say(self, **said: Any) -> None:
        """Send now, or once the connection is back."""
        while not self.of.is_over:
            with suppress(OSError, WebSocketException):
                if self.socket is not None:
                    return await self.socket.send(json.dumps(said))
            await asyncio.sleep(0.1)

    async def until(self, fits: Any, what: str) -> float:
        """Return the time of the first matching message; record a fault if there is none."""
        try:
            async with asyncio.timeout(SECONDS), self.news:
                await self.news.wait_for(lambda: self.told and fits(self.told))
        except TimeoutError:
            self.of.faults.append(f"{self.first['role']} waited in vain: {what}")
        return self.at


class Learner(Screen):
    """A learner who answers questions and remembers the answers."""

    def __init__(self, of: Class) -> None:
        super().__init__(of, role="learner", is_new=True)
        self.said: dict[tuple[int, int], Any] = {}
        self.room, self.board = "nowhere", ""
        self.has_board = False  # of this room
        self.frame: Frame | None = None
        self.going = set[asyncio.Task[None]]()

    async def hear(self, said: dict[str, Any]) -> None:
        await super().hear(said)
        if "told" not in said:
            return
        room, board = room_of(self.told["view"]["address"]), self.told["board"]
        if room != self.room:
            self.room, self.has_board = room, False
            self._begin(self._go(room))
        if board["key"] != self.board and room_of(board["address"]) == room:
            self.board = board["key"]
            self._begin(self._fetch(room))

    def _begin(self, doing: Any) -> None:
        task = asyncio.create_task(doing)
        self.going.add(task)
        task.add_done_callback(self.going.discard)

    async def _go(self, room: str) -> None:
        self.frame = self.frame or Frame(self.of.url, {"Cookie": self.cookie}, self.of.n_learner)
        since = self.of.since
        came = await self.frame.go(room)
        if came is not None and since:
            self.of.rooms.append(came - since)

    async def _fetch(self, room: str) -> None:
        async with self.of.client() as client:
            with suppress(httpx.HTTPError):
                page = await client.get("/classroom/board", params={"of": self.of.code, "key": self.board})
                if page.is_success and room == self.room and not self.has_board:
                    if self.of.since:
                        self.of.boards.append(time.perf_counter() - self.of.since)
                    async with self.news:
                        self.has_board = True
                        self.news.notify_all()

    def check(self) -> None:
        asked = self.told["question"]
        if asked is None:
            return
        if asked["rounds"] and not asked["is_revealed"]:
            self.of.faults.append("answers were seen too early")
        kept = self.said.get((asked["n"], asked["round"]))
        if kept is not None and asked["mine"] != kept:
            self.of.faults.append(f"an answer was lost: {kept!r} became {asked['mine']!r}")

    async def answer(self, n: int, round_: int, value: Any) -> None:
        """Answer until it is confirmed, even if the connection breaks meanwhile."""

        def has_come(told: dict[str, Any]) -> bool:
            asked = told["question"]
            return bool(asked and (asked["n"], asked["round"]) == (n, round_) and asked["mine"] == value)

        for _ in range(30):
            await self.say(do="answer", n=n, round=round_, value=value)
            with suppress(TimeoutError):
                async with asyncio.timeout(2.0), self.news:
                    await self.news.wait_for(lambda: has_come(self.told))
                self.said[n, round_] = value
                self.of.n_answer += 1
                return
        self.of.faults.append("an answer was never kept")

    async def drop(self) -> None:
        """Interrupt the network for a moment."""
        if self.socket is not None:
            self.socket.transport.abort()


class Hostile(Screen):
    """A hostile member who tries everything and is cut off repeatedly, which counts as no fault."""

    def __init__(self, of: Class) -> None:
        super().__init__(of, role="learner", is_new=True)

    def refused(self, why: str) -> None:
        pass

    async def attack(self, draw: random.Random) -> None:
        """Run until the lesson is over."""
        while not self.of.is_over:
            await asyncio.sleep(draw.uniform(0.05, 1.0))
            with suppress(Exception):
                if draw.random() < 0.1:
                    await self._forge(draw)
                elif self.socket is not None:
                    await self.socket.send(draw.choice(self._said(draw)))

    def _said(self, draw: random.Random) -> list[Any]:
        teachers = ("reveal", "end", "pause", "send out", "race start", "table", "compute", "again", "names")
        chosen = {name: str(draw.choice(list(one.values))) for name, one in RACE_SETTINGS.items()}
        said: list[Any] = [{"do": do, "on": True, "learner": draw.randbytes(6).hex()} for do in teachers]
        said += [{"do": "answer", "n": draw.randrange(9), "round": 1, "value": [[1e308]]}, {"do": ["x"]}, [], None]
        said += [{"do": "plan", "settings": chosen}, {"do": "attack", "sentence": "x" * 9999}, {"do": "hand", "up": 7}]
        return [json.dumps(one) for one in said] + [b"\x00\xff", "{" * 5000, "y" * 20_000, ""]

    async def _forge(self, draw: random.Random) -> None:
        async with self.of.client() as client:
            page, of = "<script>alert(1)</script>", {"of": self.of.code, "at": "masks", "key": draw.randbytes(8).hex()}
            put = await client.post("/classroom/board", params=of, content=page, headers={"x-key": "0" * 32})
            got = await client.get("/classroom/board", params=of)
            if put.is_success or got.is_success:
                self.of.faults.append("a forged page was kept")
        first = {"code": self.of.code, "role": draw.choice(["desk", "projector"]), "key": draw.randbytes(16).hex()}
        if draw.random() < 0.5:
            first["code"] = "".join(draw.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=6))
        where = f"{self.of.url.replace('http', 'ws')}/classroom/line"
        async with connect(
            where, origin=Origin(self.of.url), additional_headers={"X-Forwarded-For": "10.1.2.3"}
        ) as one:
            await one.send(json.dumps(first))
            async with asyncio.timeout(5):
                if "told" in json.loads(await one.recv()):
                    self.of.faults.append("a forger was let in")


def room_of(address: str) -> str:
    """Return an address without the choices in its room."""
    page, _, choices = address.partition("?")
    kept = [one for one in choices.split("&") if one.startswith(("lesson=", "step="))]
    return f"{page}?{'&'.join(sorted(kept))}" if kept else page
