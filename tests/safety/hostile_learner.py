"""One hostile learner in a class: everything that a security review has found, again and again and all at once.

It shares the class's address, knows the code, has photographed the projector's key, and throws its cookies away.
"""

import asyncio
import json
import random
import socket
from contextlib import closing, suppress
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Origin

from core.classroom.codes import ALPHABET, projector_key
from core.ui.server.identity.anonymous_owner import COOKIE
from tests.safety.hostile import PAYLOADS

FORMULA = r"$$\text{<!--><script>document.title='RAN'</script>-->}$$"
TEACHERS = (
    "end",
    "reveal",
    "compute",
    "send out",
    "lock",
    "pause",
    "table",
    "new keys",
    "strike",
    "clear",
    "race done",
)
NAMES = ("Mia", "Mia\ufe0f", "Mi\u0430", "Ｍｉａ", "\u2800", FORMULA, *PAYLOADS[:20])


class HostileLearner:
    """What it does is counted by kind; that it harms nobody is for the others to see."""

    def __init__(self, url: str, code: str, desk_key: str, seed: int) -> None:
        self.url, self.code, self.photographed = url, code, projector_key(desk_key)
        self.draw = random.Random(seed)
        self.done: dict[str, int] = {}
        self.gains: list[str] = []  # what it should never have got

    async def attack(self) -> None:
        """Go on until it is cancelled."""
        kinds = [
            self.try_codes, self.take_seats, self.open_lines, self.lead, self.send_huge_first_message, self.make_links,
            self.begin_classes, self.fill_kept_files, self.leave_requests_open, self.forge_board, self.upload_slowly,
            self.say_nonsense,
        ]  # fmt: skip
        await asyncio.gather(*(self._again(kind) for kind in kinds))

    async def _again(self, kind: Any) -> None:
        while True:
            with suppress(Exception):  # it is refused and cut off, and that is right
                async with asyncio.timeout(15):
                    await kind()
            self.done[kind.__name__] = self.done.get(kind.__name__, 0) + 1
            await asyncio.sleep(self.draw.uniform(0.02, 0.2))

    def _headers(self) -> dict[str, str]:
        """A new cookie, and an address of its own invention."""
        forged = ".".join(str(self.draw.randrange(256)) for _ in range(4))
        return {"Cookie": f"{COOKIE}={self.draw.randbytes(16).hex()}", "X-Forwarded-For": forged, "X-Real-IP": forged}

    async def _line(self, text: str) -> Any:
        where = f"{self.url.replace('http', 'ws')}/classroom/line"
        socket_ = await connect(where, origin=Origin(self.url), additional_headers=self._headers(), max_size=None)
        await socket_.send(text)
        return socket_

    async def _say_first(self, **first: Any) -> tuple[Any, dict[str, Any]]:
        line = await self._line(json.dumps({"code": self.code, **first}))
        return line, json.loads(await line.recv())

    async def try_codes(self) -> None:
        """A1, A4: wrong codes, each with another address."""
        for _ in range(10):
            code = "".join(self.draw.choices(ALPHABET, k=6))
            line, _ = await self._say_first(code=code, role="learner", is_new=True)
            await line.close()

    async def take_seats(self) -> None:
        """A2, B11: learners without end, called as others are, or as a script."""
        line, _ = await self._say_first(role="learner", is_new=True, name=self.draw.choice(NAMES))
        await line.close()

    async def open_lines(self) -> None:
        """A3: one learner, many screens."""
        headers = self._headers()
        where = f"{self.url.replace('http', 'ws')}/classroom/line"
        first = json.dumps({"code": self.code, "role": "learner", "is_new": True})
        lines = []
        for _ in range(12):
            lines.append(await connect(where, origin=Origin(self.url), additional_headers=headers))
            await lines[-1].send(first)
        await asyncio.sleep(1)
        await asyncio.gather(*(one.close() for one in lines))

    async def lead(self) -> None:
        """A5: the teacher's words, with the key that was photographed, and with none."""
        for key, role in ((self.photographed, "projector"), (self.photographed, "desk"), ("0" * 32, "desk")):
            line, heard = await self._say_first(role=role, key=key)
            if role == "desk" and "told" in heard:
                self.gains.append("the desk")
            for do in TEACHERS if role == "projector" else ():
                await line.send(json.dumps({"do": do, "on": True}))
                await asyncio.sleep(0.1)
            await line.close()

    async def send_huge_first_message(self) -> None:
        """B2, C1: 10 MB of brackets; half a character."""
        for text in (
            '{"code":' + "[[]," * 2_500_000,
            '{"code": "' + self.code + '", "key": "\\ud800", "role": "desk"}',
        ):
            line = await self._line(text)
            await line.recv()
            await line.close()

    async def begin_classes(self) -> None:
        """A1: so that the teacher of tomorrow finds no room."""
        async with httpx.AsyncClient(base_url=self.url, verify=False) as client:
            await client.post("/classroom/start", headers={"origin": self.url, **self._headers()})
        await asyncio.sleep(2)

    async def fill_kept_files(self) -> None:
        """B1: a script under a query of 60 kB."""
        async with httpx.AsyncClient(base_url=self.url, verify=False) as client:
            page = (await client.get("/join")).text
            script = page.split('<script type="module" src="')[1].split('"')[0]
            for _ in range(5):
                await client.get(f"/{script}&x={self.draw.randbytes(5_000).hex()}")

    async def leave_requests_open(self) -> None:
        """B3: headers that never end, and requests that never begin."""
        host, port = self.url.split("//")[1].split(":")
        with closing(socket.create_connection((host, int(port)))) as one, closing(socket.socket()) as two:
            two.connect((host, int(port)))
            one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: " + b"a" * 30_000)
            await asyncio.sleep(5)

    async def forge_board(self) -> None:
        """C2, and what is on the wall: with no key, and looking for one."""
        async with httpx.AsyncClient(base_url=self.url, verify=False) as client:
            asked = {"of": self.code, "at": "masks", "key": self.draw.randbytes(16).hex()}
            put = await client.post(
                "/classroom/board", params=asked, content=FORMULA, headers={"x-key": asked["key"], "origin": self.url}
            )
            got = await client.get("/classroom/board", params=asked)
            if put.is_success or got.is_success:
                self.gains.append("a board")

    async def upload_slowly(self) -> None:
        """B10: uploads that send one byte."""
        host, port = self.url.split("//")[1].split(":")
        head = (
            f"PUT /upload/config.json HTTP/1.1\r\nHost: localhost\r\nX-Upload: 1\r\nContent-Length: 5000\r\n"
            f"Cookie: {self._headers()['Cookie']}\r\n\r\n{{"
        )
        lines = [socket.create_connection((host, int(port))) for _ in range(20)]
        for one in lines:
            one.sendall(head.encode())
        await asyncio.sleep(8)
        for one in lines:
            one.close()

    async def make_links(self) -> None:
        """B10: addresses nobody has asked for."""
        async with httpx.AsyncClient(base_url=self.url, verify=False) as client:
            for _ in range(5):
                await client.get(f"/s/{''.join(self.draw.choices('abcdefgh234567', k=10))}")

    async def say_nonsense(self) -> None:
        """A learner's line: forged, nested, endless, too often."""
        line, _ = await self._say_first(role="learner", is_new=True, name=self.draw.choice(NAMES))
        said = [{"do": do, "on": True} for do in TEACHERS]
        said += [{"do": "answer", "n": n, "round": 1, "value": FORMULA} for n in range(1, 30)]
        said += [{"do": "answer", "n": 1, "round": 1, "value": [[1e308]]}, {"do": ["x"]}, {"do": "hand", "up": 7}]
        for one in said:
            await line.send(json.dumps(one))
        for raw in (b"\x00\xff", "{" * 5_000, '{"do": "\\ud800"}', "y" * 20_000):
            await line.send(raw)
        await line.close()
