"""Sixty learners who follow a teacher: the time until each sees what the teacher shows, and until all have answered.

    python -m benchmarks.classroom [--learners 60]

A server is started here with a data folder of its own. Each learner acts like a phone: a connection to the class, and
the app in its frame, a raw WebSocket to Streamlit. The teacher shows a choice in a room (which the browser answers;
timed until the class's message arrives) and a different room (timed until its script is done), and asks a question
(timed until all answers are on the projector). Figures are seconds.
"""

import argparse
import asyncio
import json
import random
import time
from typing import Any

import httpx
import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin, Subprotocol

from benchmarks.load import FINISHED
from benchmarks.server import ROOT, streamlit, wait_until_warm
from core.classroom.codes import projector_key

ROOMS = ("masks", "heads", "positions", "encoder", "next_token", "masks", "heads", "positions")
N_CHOICE = 30


class Line:
    """A screen's connection to the class."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, **said: Any) -> None:
        await self.socket.send(json.dumps(said))

    async def until(self, fits: Any) -> float:
        """Return the time of the first matching message."""
        while True:
            heard = json.loads(await asyncio.wait_for(self.socket.recv(), 120))
            if "told" in heard and fits(heard["told"]):
                return time.perf_counter()


class App:
    """The app in a learner's frame."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.pages = socket, dict[str, str]()

    async def go(self, page: str) -> float:
        """Open a page and return when its script was done."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages.get(page, "")
        if not self.pages:
            message.rerun_script.page_name = page
        await self.socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(await asyncio.wait_for(self.socket.recv(decode=False), 120))
            kind = answer.WhichOneof("type")
            if kind == "navigation":
                self.pages = {one.url_pathname: one.page_script_hash for one in answer.navigation.app_pages}
            if kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                if answer.script_finished not in FINISHED:
                    raise RuntimeError(f"{page}: {answer.script_finished}")
                return time.perf_counter()


class Frame:
    """The same app, following the class as assets/widgets/classroom/join.js does, each at a different moment."""

    BESIDE, AHEAD = 0.06, 1.5  # seconds, as there

    def __init__(self, url: str, headers: dict[str, str], n_learner: int) -> None:
        self.url, self.headers, self.n_learner = url, headers, n_learner
        self.app: App | None = None
        self.wanted = ""
        self.going = asyncio.Lock()

    async def go(self, address: str) -> float | None:
        """Return when the room is loaded; None if the class has left it before, or the connection was lost."""
        self.wanted = address
        beside = self.n_learner * self.BESIDE
        await asyncio.sleep(min(self.AHEAD, beside) + random.random() * beside)
        async with self.going:
            if self.wanted != address:
                return None
            try:
                app = self.app or await self.open()
                return await app.go(address.partition("?")[0])
            except (OSError, WebSocketException, TimeoutError):
                self.app = None
                return None

    async def open(self) -> App:
        """Open Home."""
        socket = await connect(
            f"{self.url.replace('http', 'ws')}/_stcore/stream", subprotocols=[Subprotocol("streamlit")],
            origin=Origin(self.url), additional_headers=self.headers, max_size=None, open_timeout=120,
            ping_interval=None,
        )  # fmt: skip
        app = App(socket)
        await app.go("")
        self.app = app
        return app


async def measure(url: str, n_learner: int) -> None:
    """Join, follow, answer."""
    base = url.replace("http", "ws")

    async def cookies() -> dict[str, str]:
        async with httpx.AsyncClient(base_url=url, timeout=120) as client:
            await client.get("/join")
            return {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}

    async def line(headers: dict[str, str], **first: Any) -> Line:
        made = await connect(
            f"{base}/classroom/line", origin=Origin(url), additional_headers=headers, ping_interval=None
        )
        await made.send(json.dumps({"code": code, **first}))
        return Line(made)

    async def learner() -> tuple[Line, App]:
        headers = await cookies()
        own = await line(headers, role="learner", is_new=True)
        return own, await Frame(url, headers, n_learner).open()

    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        begun = (await client.post("/classroom/start")).json()
    code, key = begun["code"], begun["key"]
    teacher = await line(await cookies(), role="projector", key=projector_key(key))
    desk = await line(await cookies(), role="desk", key=key)
    start = time.perf_counter()
    class_ = await asyncio.gather(*(learner() for _ in range(n_learner)))
    print(f"all {n_learner} have joined, with Home in their frames: {time.perf_counter() - start:.1f}")

    took: list[float] = []
    for i in range(N_CHOICE):
        address = f"masks?layer={i}"
        start = time.perf_counter()
        await teacher.say(do="show", address=address, exhibit=0, by="t")
        ends = [own.until(lambda now, to=address: now["view"]["address"] == to) for own, _ in class_]
        took += [end - start for end in await asyncio.gather(*ends)]
        await asyncio.sleep(0.2)
    tell("another layer, until it is told", took)

    async def follow(own: Line, app: App, page: str) -> float:
        await own.until(lambda now: now["view"]["address"] == page)
        return await app.go(page)

    for page in ROOMS:
        start = time.perf_counter()
        await teacher.say(do="show", address=page, exhibit=0, by="t")
        ends = await asyncio.gather(*(follow(own, app, page) for own, app in class_))
        tell(f"the room {page}, until it is there", [end - start for end in ends])

    took = []
    for n in range(1, 6):
        await desk.say(do="ask", ask="More?", kind="choice", options=["yes", "no"])

        async def answer(own: Line, n: int) -> None:
            await own.until(lambda now: now["question"] and now["question"]["n"] == n)
            await own.say(do="answer", n=n, round=1, value="0")

        start = time.perf_counter()
        await asyncio.gather(*(answer(own, n) for own, _ in class_))
        end = await teacher.until(lambda now: now["question"] and now["question"]["n_answered"] == n_learner)
        took.append(end - start)
    tell(f"a question, until all {n_learner} answers are counted", took)


def tell(what: str, took: list[float]) -> None:
    """Print a line of figures."""
    p50, p95, most = np.percentile(took, [50, 95, 100])
    print(f"{what}: p50 {p50:.2f}, p95 {p95:.2f}, most {most:.2f}", flush=True)


def main() -> None:
    """Start a server and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--learners", type=int, default=60)
    options = parser.parse_args()
    with streamlit(ROOT / "app.py", GLASSFORMER_TRAINING="off") as (url, _):
        wait_until_warm(f"{url}/api/ready")
        asyncio.run(measure(url, options.learners))


if __name__ == "__main__":
    main()
