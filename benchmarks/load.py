"""A class under load: response times while sixty learners do what a lesson asks.

    python -m benchmarks.load [--sessions 60] [--seconds 60] [--rounds 3] [--processes 4]

First one real Chromium walks through some rooms and lessons, and its messages are recorded (`benchmarks.recorded`).
Then each session, a raw WebSocket (one Chromium for each would need a machine of its own), arrives as a new visitor. It
loads the page and every file that the browser loaded, gets its cookies, and makes a move per second from `MIX`, with
the whole state of the controls as the browser sent it. All controls of a room are equally probable, and those that the
browser answers itself cost nothing. A third of the sessions train: they press Train in a room whose other controls the
browser answers itself, and poll as often as the server asks. One of them trains at a time, or as many as
`GLASSFORMER_SLOTS` allows; the others are queued. One of the rooms shows a model of six layers. Every text is new, so
it is never cached.

The time is measured from a message to the server's "script finished". The server is started here, on a free port, with
a data folder of its own; with `--processes`, several behind the proxy. All figures are printed for each round, with the
memory of the server's processes (without those that train) at its end.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import socket
import string
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from benchmarks.recorded import MARK, ROOMS, Move, Recording, record
from benchmarks.server import wait_until_warm

ROOT = Path(__file__).resolve().parent.parent
FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
# Of sixty moves in a minute, those that a lesson asks for. Opening a room also comes with each prediction.
MIX = {"control": 50, "text": 6, "open": 3, "prediction": 1}
LONGEST = 120.0  # seconds without a message from the server, after which it counts as broken
TRAINERS = 3  # each third session trains
MODEL, N_LAYER = "six-layers", 6


async def fetch(url: str, paths: Iterator[str]) -> int:
    """Request files one after the other on one connection; return the number of server errors.

    A client library would take longer for a file than the server, and would dominate the measurement.
    """
    place = urlsplit(url)
    n_fault = 0
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    for path in paths:
        asked = f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nAccept-Encoding: gzip\r\n\r\n"
        writer.write(asked.encode())
        start = (await reader.readuntil(b"\r\n\r\n")).lower()
        n_fault += start.split()[1] >= b"500"
        if length := re.search(rb"content-length: (\d+)", start):
            await reader.readexactly(int(length[1]))
        elif b"transfer-encoding: chunked" in start:
            while n := int(await reader.readline(), 16):
                await reader.readexactly(n + 2)
            await reader.readline()
    writer.close()
    return n_fault


@dataclass
class Session:
    """One learner, with the seconds of each answer by kind of move, and the number of moves without an answer."""

    url: str
    recording: Recording
    number: int
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    n_alone: int = 0
    n_error: int = 0
    n_byte: int = 0

    def __post_init__(self) -> None:
        self.draw = random.Random(self.number)
        self.trains = self.number % TRAINERS == 0
        rooms = list(self.recording.rooms.values())
        self.room = self.recording.training if self.trains else rooms[self.number % len(rooms)]
        self.predictions = list(self.recording.predictions)
        self.polls: dict[str, float] = {}  # fragment -> seconds between two
        self.due: dict[str, float] = {}
        self.last = BackMsg()

    async def load(self) -> str:
        """Load the page and its files as on a browser's first visit, six at a time; return the cookies."""
        begun = time.perf_counter()
        async with httpx.AsyncClient(base_url=self.url, timeout=120) as client:
            await client.get("/")
        paths = iter(self.recording.files)
        errors = await asyncio.gather(*(fetch(self.url, paths) for _ in range(6)))
        self.n_error += sum(errors)
        self.seconds["files"].append(time.perf_counter() - begun)
        return "; ".join(f"{name}={value}" for name, value in client.cookies.items())

    async def come(self, socket_: ClientConnection) -> None:
        """Open the first room; a session that trains starts training."""
        self.socket = socket_
        await self.make(self.room[0], "first room")
        if self.trains:
            await self.make(self.room[1], "train")

    async def live(self, end: float) -> None:
        """Make a move per second until then, and poll in between."""
        next_move = time.monotonic() + self.draw.random()  # moves are not synchronized
        while (now := time.monotonic()) < end:
            fragment = min(self.due, key=lambda one: self.due[one], default=None)
            if fragment is not None and self.due[fragment] < next_move:
                await asyncio.sleep(max(0.0, self.due[fragment] - now))
                await self.poll(fragment)
                continue
            await asyncio.sleep(max(0.0, next_move - now))
            next_move = max(next_move + 1.0, time.monotonic())
            await self.move()

    async def move(self) -> None:
        kind = self.draw.choices(list(MIX), list(MIX.values()))[0]
        if self.trains:  # polls once a second, and has controls that the browser answers
            return
        if kind == "prediction" and self.predictions:
            for move in self.predictions.pop():
                await self.make(move)
        if kind in ("open", "prediction"):
            self.room = self.draw.choice(list(self.recording.rooms.values()))
            await self.make(self.room[0])
            return
        fitting = [one for one in self.room if one.kind == kind] or [one for one in self.room if one.kind == "control"]
        await self.make(self.draw.choice(fitting))

    async def make(self, move: Move, kind: str = "") -> None:
        own = "".join(self.draw.choices(string.ascii_lowercase, k=len(MARK))).encode()
        self.n_alone += not move.messages
        if move.kind == "open":
            self.due.clear()
        for frame in move.messages:
            self.last = BackMsg.FromString(frame.replace(MARK.encode(), own))
            self.seconds[kind or move.kind].append(await self._ask(self.last))

    async def poll(self, fragment: str) -> None:
        """Poll as the server has asked."""
        message = BackMsg()
        message.CopyFrom(self.last)
        message.rerun_script.fragment_id, message.rerun_script.is_auto_rerun = fragment, True
        for state in message.rerun_script.widget_states.widgets:
            if state.WhichOneof("value") == "trigger_value":
                state.trigger_value = False  # a click is sent once
        self.due[fragment] = time.monotonic() + self.polls[fragment]
        self.seconds["news"].append(await self._ask(message))

    async def _ask(self, message: BackMsg) -> float:
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while True:
            data = await asyncio.wait_for(self.socket.recv(decode=False), LONGEST)
            self.n_byte += len(data)
            answer = ForwardMsg.FromString(data)
            kind = answer.WhichOneof("type")
            if kind == "delta" and answer.delta.new_element.WhichOneof("type") == "exception":
                self.n_error += 1
            elif kind == "auto_rerun":
                self.polls[answer.auto_rerun.fragment_id] = answer.auto_rerun.interval
                self.due[answer.auto_rerun.fragment_id] = time.monotonic() + answer.auto_rerun.interval
            elif kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self.n_error += answer.script_finished not in FINISHED
                return time.perf_counter() - start


async def learner(session: Session, class_: asyncio.Barrier, seconds: float) -> Session:
    """Arrive, wait for the class, and make moves for this long."""
    await asyncio.sleep(session.number * 0.1)  # a class does not press return in the same millisecond
    cookies = await session.load()
    address = session.url.replace("http", "ws") + "/_stcore/stream"
    async with connect(
        address,
        subprotocols=[Subprotocol("streamlit")],
        origin=Origin(session.url),
        additional_headers={"Cookie": cookies},
        max_size=None,
        open_timeout=60,
    ) as socket_:
        await session.come(socket_)
        await class_.wait()
        await session.live(time.monotonic() + seconds)
        return session


async def class_at(url: str, recording: Recording, n_session: int, seconds: float) -> list[Session]:
    """Run a class of this size at a running server, for this many seconds after all have arrived."""
    class_ = asyncio.Barrier(n_session)
    every = (learner(Session(url, recording, number), class_, seconds) for number in range(n_session))
    return await asyncio.gather(*every)


def recording_of(url: str, model: str = "", rooms: tuple[str, ...] = ROOMS, n_control: int | None = None) -> Recording:
    """Record what a Chromium sends to this server, in a thread of its own; see `benchmarks.recorded.record`."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")

    def walk() -> Recording:
        with sync_playwright() as playwright:
            arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
            browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
            return record(url, browser, model, rooms, n_control)

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(walk).result()


def make_model(data: Path) -> None:
    """Make a model of six layers with random weights and the stories' words, for all visitors of the server."""
    from safetensors.torch import save_file

    from core.models import registry

    shipped, folder = ROOT / "assets/models/stories", data / "models" / MODEL
    shutil.copytree(shipped, folder, ignore=shutil.ignore_patterns("frames", "history.json", "model.safetensors"))
    values = json.loads((folder / "config.json").read_text()) | {"n_layer": N_LAYER}
    (folder / "config.json").write_text(json.dumps(values))
    save_file(registry.build(registry.from_dict(values)).state_dict(), folder / "model.safetensors")


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=0, help="processes behind the proxy (0: one, without it)")
    arguments = parser.parse_args()
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as data:
        make_model(Path(data))
        one = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
        several = [sys.executable, "-m", "core.ui.server", f"--processes={arguments.processes}", f"--port={port}"]
        server = subprocess.Popen(
            several if arguments.processes else one,
            cwd=ROOT,
            env={**os.environ, "GLASSFORMER_DATA": data},
            stdout=subprocess.DEVNULL,
        )
        try:
            for n in range(max(1, arguments.processes)):
                wait_until_warm(f"{url}/api/ready", f"glassformer_process=p{n + 1}")
            recording = recording_of(url, MODEL)
            for n_round in range(arguments.rounds):
                print(f"round {n_round + 1}: load before {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
                sessions = asyncio.run(class_at(url, recording, arguments.sessions, arguments.seconds))
                _report(sessions, arguments.seconds)
                print("\n".join(_memory(server.pid)), flush=True)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(40)


def _report(sessions: list[Session], seconds: float) -> None:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for session in sessions:
        for kind, times in session.seconds.items():
            by_kind[kind] += times
    moves = [one for kind in MIX for one in by_kind[kind]]
    for kind, times in {**by_kind, "all moves": moves}.items():
        if times:
            p50, p95, p99 = np.percentile(np.array(times) * 1000, [50, 95, 99])
            print(f"{kind:>12}: n {len(times):5d}  p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  p99 {p99:6.0f} ms")
    n_rerun = len(moves) + len(by_kind["news"])
    print(f"{'browser':>12}: {sum(session.n_alone for session in sessions)} more moves that it answered by itself")
    print(f"{'reruns':>12}: {n_rerun / seconds:.1f} a second, {sum(session.n_error for session in sessions)} errors")


def _memory(pid: int) -> list[str]:
    """Return the megabytes of the server's processes and the private part of each, if available (Linux)."""
    told = []
    for one in sorted({pid, *below(pid)}):
        try:
            line = Path(f"/proc/{one}/cmdline").read_text().replace("\0", " ")
            facts = [row.split() for row in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()[1:]]
        except OSError:
            continue
        n_kilobyte = {row[0]: int(row[1]) for row in facts}
        own = n_kilobyte["Private_Clean:"] + n_kilobyte["Private_Dirty:"]
        if n_kilobyte["Rss:"] > 100_000 and "supervisor" not in line and os.getpriority(os.PRIO_PROCESS, one) == 0:
            told.append(f"{'memory':>12}: {n_kilobyte['Rss:'] // 1024} MB resident, {own // 1024} MB its own")
    return told


def below(pid: int) -> set[int]:
    """Return all descendants of this process."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found: set[int] = set()
    while more := {one for one, parent in parents.items() if parent in found | {pid}} - found:
        found |= more
    return found


if __name__ == "__main__":
    main()
