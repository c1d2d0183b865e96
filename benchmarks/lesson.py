"""A whole lesson with a class of sixty, ten of them hostile, and a server that is killed twice; counts what goes wrong.

    python -m benchmarks.lesson [--minutes 45] [--learners 60] [--hostile 10]

The projector is real (Chromium). A learner acts like a phone: a connection to the class, the page on the projector, and
the app in a frame that follows. In each round the teacher goes to a different room, shows choices in it, asks, reveals
and asks again; once the class races. Learners answer late or twice, wander off, and lose their connection. The hostile
ones send messages that only a teacher may send, guess codes and secrets, and send too much. It counts lost answers,
answers seen too early, and unjustified refusals and faults, and measures the time until all see what the teacher shows.
"""

import argparse
import asyncio
import random
import tempfile
import time
from typing import Any

import psutil
from playwright.async_api import async_playwright

from benchmarks.classmates import Class, Hostile, Learner, Screen, room_of
from benchmarks.classroom import tell
from benchmarks.server import CHROMIUM, ROOT, streamlit, wait_until_warm
from core.classroom.codes import projector_key
from core.classroom.race.race_settings import RACE_SETTINGS

ROOMS = {
    "heads": ("layer=0&head=1", "layer=1&head=2", "layer=1&head=0", "layer=0&head=3"),
    "masks": ("layer=1", "layer=0", "layer=1&view=a_b-1", "layer=0"),
    "positions": ("rotary=3.1", "rotary=9.4", "clock=0.5.1", "clock=5.0.0"),
    "embeddings": ("open=all", "present=true", "open=", "depth=story"),
    "lessons?lesson=masks&step=1": ("note=1", "note=2", "note=3", "note=4"),
    "lessons?lesson=masks&step=3": ("note=1", "note=2", "note=3", "note=4"),
}


async def lesson(of: Class, n_learner: int, n_hostile: int, seconds: float, server: "Server", wall: Any) -> None:
    """Run the lesson from the code on the wall to the end."""
    draw = random.Random(0)
    of.n_learner = n_learner
    await server.start()
    async with of.client() as client:
        begun = (await client.post("/classroom/start")).json()
    of.code, of.key = begun["code"], begun["key"]
    desk = Screen(of, role="desk", key=of.key)
    class_, hostile = [Learner(of) for _ in range(n_learner)], [Hostile(of) for _ in range(n_hostile)]
    tasks = [asyncio.create_task(one.live()) for one in (desk, *class_, *hostile)]
    tasks += [asyncio.create_task(one.attack(random.Random(n))) for n, one in enumerate(hostile)]
    await desk.until(lambda now: len(now["learners"]) >= n_learner, "all are there")
    await wall.goto(f"{of.url}/projector#{of.code}.{projector_key(of.key)}")
    await wall.get_by_role("button", name="Begin").click()
    while not all(one.frame and one.frame.app for one in class_):
        await asyncio.sleep(0.5)
    began, n_round, kills, followed = time.monotonic(), 0, [1 / 3, 2 / 3], list[float]()
    while (part := (time.monotonic() - began) / seconds) < 1:
        n_round += 1
        followed += await show(of, desk, class_, draw)
        killing = bool(kills) and part > kills[0]
        await ask(of, desk, class_, draw, server if killing else None)
        del kills[:killing]
        server.look()
        if n_round == 2:
            await race(desk, class_, draw)
    await desk.say(do="end")
    await asyncio.sleep(2)
    of.is_over = True
    for task in tasks:
        task.cancel()
    print(f"{n_round} rounds in {(time.monotonic() - began) / 60:.0f} minutes, {of.n_message:,} messages heard")
    print(
        f"{of.n_answer:,} answers kept, {of.n_reconnect} lines lost and back, the server killed {server.n_killed} times"
    )
    tell("another choice is told", followed)
    tell(f"a new room: the projector's page is shown ({len(of.boards)})", of.boards)
    tell(f"another room: the room itself is there ({len(of.rooms)})", of.rooms)
    print(f"the server's memory at most: {server.most_memory / 1e6:.0f} MB")
    print(f"faults: {len(of.faults)}")
    for fault in sorted(set(of.faults)):
        print(f"  {of.faults.count(fault)} times: {fault}")


async def show(of: Class, desk: Screen, class_: list[Learner], draw: random.Random) -> list[float]:
    """Show a new room and choices in it; record the time until each learner is informed of each choice."""
    took = []
    room = draw.choice([one for one in ROOMS if room_of(one) != class_[0].room])
    of.since = time.perf_counter()
    await desk.say(do="show", address=room, exhibit=-1, by="desk")
    there = [one.until(lambda now, one=one: one.room == room_of(room) and one.has_board, "the room") for one in class_]
    await asyncio.gather(*there)
    race = desk.told.get("race") or {}
    racing = race.get("stage") == "run" and not race["is_over"]
    first, last = min(of.boards[-len(class_) :]), max(of.boards[-len(class_) :])
    print(f"{room}: on phones from {first:.2f} to {last:.2f} s{' (a race runs)' if racing else ''}", flush=True)
    await asyncio.sleep(draw.uniform(4, 8))
    for choice in ROOMS[room]:
        address = f"{room}{'&' if '?' in room else '?'}{choice}"
        start = time.perf_counter()
        await desk.say(do="show", address=address, exhibit=0, by="desk")
        ends = [one.until(lambda now, to=address: now["view"]["address"] == to, "the view") for one in class_]
        took += [end - start for end in await asyncio.gather(*ends)]
        wandering = draw.sample(class_, min(6, len(class_)))
        await asyncio.gather(*(one.say(do="at", address="masks", states="012", is_active=True) for one in wandering))
        await asyncio.sleep(draw.uniform(0.5, 2))
    return took


async def ask(of: Class, desk: Screen, class_: list[Learner], draw: random.Random, server: "Server | None") -> None:
    """Ask a question in two rounds. All answer, a tenth twice; some lose their connection; the server may die."""
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
            for one in draw.sample(class_, min(5, len(class_))):
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
    """Race in teams of four."""
    await desk.say(do="race", text="bottle-and-cup", seconds=5, teams=True)
    for one in class_:
        await one.until(lambda now: now["race"], "the race")
        chosen = {name: str(draw.choice(list(setting.values))) for name, setting in RACE_SETTINGS.items()}
        await one.say(do="enter", settings=chosen)
    await desk.until(lambda now: now["race"]["n_entered"] >= len(class_) // 4, "all teams")
    await desk.say(do="race start")
    await desk.until(lambda now: now["race"]["stage"] == "run", "the start")


class Server:
    """The app with one data folder, killed and restarted."""

    def __init__(self, of: Class, folder: str) -> None:
        self.of, self.folder, self.n_killed, self.port, self.most_memory = of, folder, 0, 0, 0
        self._held: Any = None
        self._process: Any = None

    async def start(self) -> None:
        """Start it and wait until it is warm."""
        self._held = streamlit(ROOT / "app.py", self.port, GLASSFORMER_DATA=self.folder)
        self.of.url, self._process = await asyncio.to_thread(self._held.__enter__)
        self.port = int(self.of.url.rpartition(":")[2])  # the same after every restart
        if not self.n_killed:
            await asyncio.to_thread(wait_until_warm, f"{self.of.url}/api/ready")
        self.of.up.set()

    def look(self) -> None:
        """Record its memory."""
        self.most_memory = max(self.most_memory, psutil.Process(self._process.pid).memory_info().rss)

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
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(**CHROMIUM)
            wall = await browser.new_page(viewport={"width": 1024, "height": 768})
            try:
                await lesson(of, options.learners, options.hostile, 60 * options.minutes, server, wall)
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
