"""A whole lesson with a class of sixty, ten of them hostile, and a server that is killed twice: what goes wrong?

    python -m benchmarks.lesson [--minutes 45] [--learners 60] [--hostile 10]

Everybody is a line to the class, as a phone is. Round after round the teacher shows something else, asks, reveals and
asks again; once the class races. Learners answer late or twice, wander off, and lose their line. The hostile ones say
what only a teacher may, guess codes and secrets, and send too much. Counted: answers lost, answers seen too early,
refusals and faults that nobody deserved; and the time until a change of the teacher's is told to all.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from contextlib import suppress
from typing import Any

import httpx
import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from benchmarks.server import ROOT, streamlit, wait_until_warm
from core.classroom.race.settings import SETTINGS

SECONDS = 60.0  # in which everything must happen
EXPECTED = ("This question is over.", "The answers are being shown", "There is no such race")  # said a moment too late


class Class:
    """What all share: where the server is, and what was counted."""

    def __init__(self) -> None:
        self.url, self.code, self.key = "", "", ""
        self.faults: list[str] = []
        self.n_message = self.n_reconnect = self.n_answer = 0
        self.is_over = False
        self.up = asyncio.Event()


class Screen:
    """A line that comes back by itself."""

    def __init__(self, of: Class, **first: Any) -> None:
        self.of, self.first = of, first
        self.told: dict[str, Any] = {}
        self.at = 0.0  # when it was told last
        self.news = asyncio.Condition()
        self.socket: ClientConnection | None = None
        self.cookie = ""

    async def live(self) -> None:
        """Until the lesson is over."""
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
            async with httpx.AsyncClient(base_url=self.of.url, timeout=30) as client:
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
        """Something came."""
        if "told" in said:
            async with self.news:
                self.told, self.at = said["told"], time.perf_counter()
                self.check()
                self.news.notify_all()
        elif "refused" in said:
            self.refused(said["refused"])

    def check(self) -> None:
        """Look whether what was told may be told."""

    def refused(self, why: str) -> None:
        if not why.startswith(EXPECTED):
            self.of.faults.append(f"{self.first['role']} refused: {why}")

    async def say(self, **said: Any) -> None:
        """Now, or once the line is back."""
        while not self.of.is_over:
            with suppress(OSError, WebSocketException):
                if self.socket is not None:
                    return await self.socket.send(json.dumps(said))
            await asyncio.sleep(0.1)

    async def until(self, fits: Any, what: str) -> float:
        """When it was told something that fits; a fault if it never is."""
        try:
            async with asyncio.timeout(SECONDS), self.news:
                await self.news.wait_for(lambda: self.told and fits(self.told))
        except TimeoutError:
            self.of.faults.append(f"{self.first['role']} waited in vain: {what}")
        return self.at


class Learner(Screen):
    """Answers, and knows what."""

    def __init__(self, of: Class) -> None:
        super().__init__(of, role="learner", is_new=True)
        self.said: dict[tuple[int, int], Any] = {}

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
        """Until it is confirmed, whatever happens to the line meanwhile."""

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
        """The network is gone for a moment."""
        if self.socket is not None:
            self.socket.transport.abort()


class Hostile(Screen):
    """Tries everything, and is cut off again and again; nothing of it is a fault."""

    def __init__(self, of: Class) -> None:
        super().__init__(of, role="learner", is_new=True)

    def refused(self, why: str) -> None:
        pass

    async def attack(self, draw: random.Random) -> None:
        """Until the lesson is over."""
        while not self.of.is_over:
            await asyncio.sleep(draw.uniform(0.05, 1.0))
            with suppress(Exception):
                if draw.random() < 0.1:
                    await self._forge(draw)
                elif self.socket is not None:
                    await self.socket.send(draw.choice(self._said(draw)))

    def _said(self, draw: random.Random) -> list[Any]:
        teachers = ("reveal", "end", "pause", "send out", "race start", "table", "compute", "again", "names")
        chosen = {name: str(draw.choice(list(one.values))) for name, one in SETTINGS.items()}
        said: list[Any] = [{"do": do, "on": True, "learner": draw.randbytes(6).hex()} for do in teachers]
        said += [{"do": "answer", "n": draw.randrange(9), "round": 1, "value": [[1e308]]}, {"do": ["x"]}, [], None]
        said += [{"do": "plan", "settings": chosen}, {"do": "attack", "sentence": "x" * 9999}, {"do": "hand", "up": 7}]
        return [json.dumps(one) for one in said] + [b"\x00\xff", "{" * 5000, "y" * 20_000, ""]

    async def _forge(self, draw: random.Random) -> None:
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


async def lesson(of: Class, n_learner: int, n_hostile: int, seconds: float, server: "Server") -> None:
    """From the code on the wall to the end."""
    draw = random.Random(0)
    await server.start()
    async with httpx.AsyncClient(base_url=of.url, timeout=60) as client:
        begun = (await client.post("/classroom/start")).json()
    of.code, of.key = begun["code"], begun["key"]
    desk = Screen(of, role="desk", key=of.key)
    class_, hostile = [Learner(of) for _ in range(n_learner)], [Hostile(of) for _ in range(n_hostile)]
    tasks = [asyncio.create_task(one.live()) for one in (desk, *class_, *hostile)]
    tasks += [asyncio.create_task(one.attack(random.Random(n))) for n, one in enumerate(hostile)]
    await desk.until(lambda now: len(now["learners"]) >= n_learner, "all are there")
    began, n_round, kills, followed = time.monotonic(), 0, [1 / 3, 2 / 3], list[float]()
    while (part := (time.monotonic() - began) / seconds) < 1:
        n_round += 1
        followed += await show(of, desk, class_, draw, n_round)
        killing = bool(kills) and part > kills[0]
        await ask(of, desk, class_, draw, server if killing else None)
        del kills[:killing]
        if n_round == 2:
            await race(desk, class_, draw)
    await desk.say(do="end")
    await asyncio.sleep(2)
    of.is_over = True
    for task in tasks:
        task.cancel()
    p50, p95, most = np.percentile(followed, [50, 95, 100])
    print(f"{n_round} rounds in {(time.monotonic() - began) / 60:.0f} minutes, {of.n_message:,} messages heard")
    print(
        f"{of.n_answer:,} answers kept, {of.n_reconnect} lines lost and back, the server killed {server.n_killed} times"
    )
    print(f"until another view is told to all: p50 {p50:.2f} s, p95 {p95:.2f} s, most {most:.2f} s")
    print(f"faults: {len(of.faults)}")
    for fault in sorted(set(of.faults)):
        print(f"  {of.faults.count(fault)} times: {fault}")


async def show(of: Class, desk: Screen, class_: list[Learner], draw: random.Random, n: int) -> list[float]:
    """Other views, one after the other; how long until each learner has each."""
    took = []
    for i in range(6):
        address = draw.choice(
            [f"masks?layer={n}.{i}", f"heads?head={n}.{i}", f"lessons?lesson=masks&step={i + 1}&n={n}"]
        )
        start = time.perf_counter()
        await desk.say(do="show", address=address, exhibit=i, by="desk")
        ends = [one.until(lambda now, to=address: now["view"]["address"] == to, "the view") for one in class_]
        took += [end - start for end in await asyncio.gather(*ends)]
        wandering = draw.sample(class_, 6)
        await asyncio.gather(*(one.say(do="at", address="masks", states="012", is_active=True) for one in wandering))
        await asyncio.sleep(draw.uniform(0.5, 2))
    return took


async def ask(of: Class, desk: Screen, class_: list[Learner], draw: random.Random, server: "Server | None") -> None:
    """A question in two rounds. All answer, a tenth of them twice; some lose their line; maybe the server dies."""
    kind = draw.choice(["choice", "number", "word"])
    await desk.say(do="ask", ask="More?", kind=kind, options=["more", "less"], low=0, high=100)
    before = (desk.told.get("question") or {}).get("n", 0)
    await desk.until(lambda now: now["question"] and now["question"]["n"] > before, "the question")
    n = desk.told["question"]["n"]
    for round_ in (1, 2):

        async def say(one: Learner, round_: int = round_) -> None:
            await one.until(
                lambda now: now["question"] and (now["question"]["n"], now["question"]["round"]) == (n, round_), "it"
            )
            await asyncio.sleep(draw.uniform(0, 3))
            for _ in range(2 if draw.random() < 0.1 else 1):
                one.said.pop((n, round_), None)
                value = {"choice": draw.choice("01"), "number": float(draw.randrange(101)), "word": draw.choice("abc")}
                await one.answer(n, round_, value[kind])

        async def disturb() -> None:
            await asyncio.sleep(1.5)
            for one in draw.sample(class_, 5):
                await one.drop()
            if server is not None:
                await server.kill()
                await server.start()

        jobs = [say(one) for one in class_]
        await asyncio.gather(*jobs, *([disturb()] if round_ == 1 else []))
        await desk.until(lambda now: now["question"]["n_answered"] == len(class_), "all answers are counted")
        await desk.say(do="reveal", on=True)
        ends = [one.until(lambda now: now["question"]["rounds"], "the answers") for one in class_]
        await asyncio.gather(*ends)
        if round_ == 1:
            await desk.say(do="reveal", on=False)
            await desk.say(do="again")
    await desk.say(do="done")
    await desk.until(lambda now: now["question"] is None, "the end of the question")


async def race(desk: Screen, class_: list[Learner], draw: random.Random) -> None:
    """In teams of four."""
    await desk.say(do="race", text="bottle-and-cup", seconds=5, teams=True)
    for one in class_:
        await one.until(lambda now: now["race"], "the race")
        chosen = {name: str(draw.choice(list(setting.values))) for name, setting in SETTINGS.items()}
        await one.say(do="enter", settings=chosen)
    await desk.until(lambda now: now["race"]["n_entered"] >= len(class_) // 4, "all teams")
    await desk.say(do="race start")
    await desk.until(lambda now: now["race"]["stage"] == "run", "the start")


class Server:
    """The app on one data folder, killed and started again."""

    def __init__(self, of: Class, folder: str) -> None:
        self.of, self.folder, self.n_killed = of, folder, 0
        self._held: Any = None
        self._process: Any = None

    async def start(self) -> None:
        """From the start until it is warm."""
        self._held = streamlit(ROOT / "app.py", GLASSFORMER_DATA=self.folder)
        self.of.url, self._process = await asyncio.to_thread(self._held.__enter__)
        if not self.n_killed:
            await asyncio.to_thread(wait_until_warm, f"{self.of.url}/api/ready")
        self.of.up.set()

    async def kill(self) -> None:
        self.of.up.clear()
        self._process.kill()
        self.n_killed += 1
        await self.stop()

    async def stop(self) -> None:
        await asyncio.to_thread(self._held.__exit__, None, None, None)


async def _all(options: Any) -> bool:
    of = Class()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(of, folder)
        try:
            await lesson(of, options.learners, options.hostile, 60 * options.minutes, server)
        finally:
            await server.stop()
    return not of.faults


def main() -> None:
    """Start a server and teach."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--learners", type=int, default=60)
    parser.add_argument("--hostile", type=int, default=10)
    raise SystemExit(0 if asyncio.run(_all(parser.parse_args())) else 1)


if __name__ == "__main__":
    main()
