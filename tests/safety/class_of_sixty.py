"""Sixty simulated learners and a second desk, in a thread beside the browsers: all answer, and nothing may be lost."""

import asyncio
import json
import random
import threading
import time
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from core.ui.server.identity.anonymous_owner import COOKIE

N_LEARNER = 60


class ClassOfSixty:
    """Runs from `start` to `stop`.

    Attributes:
        faults: what should not have happened, in words.
        waits: seconds in which the second desk was told of each change that it made.
    """

    def __init__(self, url: str, code: str, key: str) -> None:
        self.url, self.code, self.key = url, code, key
        self.faults: list[str] = []
        self.waits: list[float] = []
        self.learners = [SimulatedLearner(self, n) for n in range(N_LEARNER)]
        self.desk: dict[str, Any] = {}
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()), daemon=True)
        self._is_over = threading.Event()

    def start(self) -> None:
        """Begin, and wait until all are in."""
        self._thread.start()
        self.until(lambda: all(one.told for one in self.learners), "all have joined")

    def stop(self) -> None:
        """End the thread; what it has found is in `faults`."""
        self._is_over.set()
        self._thread.join()

    def until(self, fits: Any, what: str, seconds: float = 180.0) -> None:
        """Wait for something."""
        end = time.monotonic() + seconds
        while not fits():
            assert time.monotonic() < end, (what, self.faults)
            time.sleep(0.1)

    def have_answered(self) -> bool:
        """Whether all have answered the question before the class."""
        asked = self.desk.get("question")
        return asked is not None and all((asked["n"], asked["round"]) in one.said for one in self.learners)

    async def _live(self) -> None:
        tasks = [asyncio.create_task(one.live()) for one in self.learners]
        tasks.append(asyncio.create_task(self._lead()))
        await asyncio.to_thread(self._is_over.wait)
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _lead(self) -> None:
        """The second desk: it renames a learner again and again, and notes when it is told so."""
        async with self.line({}, role="desk", key=self.key) as line:
            self.desk, turn = await _told(line), 0
            while not self.learners[-1].told or not self.desk["learners"]:
                self.desk = await _told(line)
            while True:
                begun, turn = time.perf_counter(), turn + 1
                last = next(
                    one["id"] for one in self.desk["learners"] if one["name"].startswith(self.learners[-1].name)
                )
                name = f"{self.learners[-1].name} {'ab'[turn % 2]}"
                await line.send(json.dumps({"do": "rename", "learner": last, "name": name}))
                while not any(one["name"] == name for one in self.desk["learners"]):
                    self.desk = await _told(line)
                self.waits.append(time.perf_counter() - begun)
                end = time.monotonic() + 0.4
                while (left := end - time.monotonic()) > 0:
                    with suppress(TimeoutError):
                        self.desk = await asyncio.wait_for(_told(line), left)

    def line(self, headers: dict[str, str], **first: Any) -> Any:
        """Connect, and say who one is."""
        return _Line(self, headers, json.dumps({"code": self.code, **first}))


class _Line:
    def __init__(self, class_: ClassOfSixty, headers: dict[str, str], first: str) -> None:
        where = f"{class_.url.replace('http', 'ws')}/classroom/line"
        self.connection = connect(
            where, origin=Origin(class_.url), additional_headers=headers, max_size=None, open_timeout=60
        )
        self.first = first

    async def __aenter__(self) -> Any:
        line = await self.connection.__aenter__()
        await line.send(self.first)
        return line

    async def __aexit__(self, *how: Any) -> None:
        await self.connection.__aexit__(*how)


async def _told(line: Any) -> dict[str, Any]:
    while True:
        heard = json.loads(await line.recv())
        if "told" in heard:
            return heard["told"]  # type: ignore[no-any-return]


class SimulatedLearner:
    """Answers each question once, and watches that the answer stays; comes back when the line is lost."""

    def __init__(self, class_: ClassOfSixty, n: int) -> None:
        self.class_, self.name = class_, f"Pupil {n:02d} xyzzy"
        self.draw = random.Random(n)
        self.cookie = {"Cookie": f"{COOKIE}={self.draw.randbytes(16).hex()}"}
        self.told: dict[str, Any] = {}
        self.said: dict[tuple[int, int], Any] = {}
        self.enters = n < 8  # the race

    async def live(self) -> None:
        """Until the lesson is over."""
        while True:
            with suppress(OSError, WebSocketException, TimeoutError):
                async with self.class_.line(self.cookie, role="learner", is_new=not self.told, name=self.name) as line:
                    due = time.monotonic()
                    while True:
                        if time.monotonic() >= due:  # now and then, as a page does
                            await line.send(json.dumps({"do": "at", "address": "masks"}))
                            due = time.monotonic() + 20
                        with suppress(TimeoutError):
                            await self._hear(line, json.loads(await asyncio.wait_for(line.recv(), 20)))
            await asyncio.sleep(self.draw.uniform(0.3, 1.5))

    async def _hear(self, line: Any, heard: dict[str, Any]) -> None:
        if heard.get("refused") and "again" not in heard and "answers are being shown" not in heard["refused"]:
            self.class_.faults.append(f"{self.name}: {heard['refused']}")
        if "told" not in heard:
            return
        self.told = heard["told"]
        if (race := self.told["race"]) and race["stage"] == "set up" and self.enters and race["mine"] is None:
            self.enters = False
            await line.send(json.dumps({"do": "enter", "settings": {}}))
        if (asked := self.told["question"]) is None:
            return
        place = asked["n"], asked["round"]
        if place in self.said:
            if asked["mine"] is not None and asked["mine"] != self.said[place]:
                self.class_.faults.append(f"{self.name}: {self.said[place]!r} became {asked['mine']!r}")
            if asked["mine"] is None:
                self.class_.faults.append(f"{self.name}: an answer to {place} was lost")
        elif asked["mine"] is not None:
            self.said[place] = asked["mine"]
        elif not asked["is_revealed"] and not asked["is_answered"]:
            if asked["rounds"]:
                self.class_.faults.append(f"{self.name}: answers were told too early")
            value = self._answer(asked["form"])
            await line.send(json.dumps({"do": "answer", "n": place[0], "round": place[1], "value": value}))

    def _answer(self, form: dict[str, Any]) -> Any:
        if form["kind"] == "choice":
            return self.draw.choice(sorted(form["options"]))
        if form["kind"] == "number":
            return round(self.draw.uniform(form["low"], form["high"]), 1)
        if form["kind"] == "curve":
            return [self.draw.uniform(form["low"], form["high"]) for _ in form["x"]]
        return self.draw.choice(["ball", "dog", "tree"])
