"""Sixty learners on one server: how long does a rerun of the attention page take while a model trains beside them?

    python -m benchmarks.load [--sessions 60] [--seconds 30 | --minutes 10] [--page heads] [--slider Layer] [--runs 1]
                              [--full]

Each session is a raw websocket client that speaks Streamlit's own protocol (one Chromium for each would need a machine
of its own). It opens the page and, once all have, moves a slider every second as a browser would: the request names
the fragment that the slider belongs to, and only that fragment runs. The time is that from the request to the server's
"script finished". With `--full` a second round follows, in which every move reruns the whole page. The server is
started here, on a free port, with a data folder of its own; a training run goes beside it unless told otherwise. The
memory, threads and open files of the server are told from before the class came, halfway, and at the end.
"""

import argparse
import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from benchmarks.server import wait_until_warm

ROOT = Path(__file__).resolve().parent.parent


# The rounds, as the report names them.
SLIDER, WHOLE_PAGE = "slider", "whole page"
FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass(frozen=True)
class Slider:
    """A slider as the page has shown it; `fragment` is "" where moving it reruns the whole page."""

    id: str
    low: float
    high: float
    fragment: str


@dataclass
class Session:
    """One learner: the sliders that the page has shown, and the seconds that each rerun took, by round."""

    page: str
    socket: ClientConnection
    first_load: float = 0.0
    reruns: dict[str, list[float]] = field(default_factory=dict)
    n_error: int = 0
    sliders: dict[str, Slider] = field(default_factory=dict)  # by label
    n_byte: int = 0

    async def open(self) -> None:
        """Load the page, as a new visitor does."""
        self.first_load = await self._rerun(BackMsg())

    async def move(self, slider: Slider, value: float, *, whole_page: bool) -> float:
        """Move the slider and wait for the answer, in seconds."""
        message = BackMsg()
        message.rerun_script.fragment_id = "" if whole_page else slider.fragment
        state = message.rerun_script.widget_states.widgets.add(id=slider.id)
        state.double_array_value.data.append(value)
        return await self._rerun(message)

    async def _rerun(self, message: BackMsg) -> float:
        message.rerun_script.page_name = self.page
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while True:
            data = await self.socket.recv(decode=False)
            self.n_byte += len(data)
            answer = ForwardMsg.FromString(data)
            kind = answer.WhichOneof("type")
            if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                self._look_at(answer)
            elif kind == "script_finished":
                if answer.script_finished not in FINISHED:
                    self.n_error += 1
                return time.perf_counter() - start

    def _look_at(self, answer: ForwardMsg) -> None:
        element = answer.delta.new_element
        if element.WhichOneof("type") == "exception":
            self.n_error += 1
        elif element.WhichOneof("type") == "slider":
            one = element.slider
            self.sliders[one.label] = Slider(one.id, one.min, one.max, answer.delta.fragment_id)


async def learner(url: str, arguments: argparse.Namespace, class_: asyncio.Barrier, number: int) -> Session:
    """Open the page, wait for the class, then move the slider once a second, round after round."""
    await asyncio.sleep(number * 0.05)  # a class does not press return in the same millisecond
    address = url.replace("http", "ws") + "/_stcore/stream"
    async with connect(address, subprotocols=[Subprotocol("streamlit")], origin=Origin(url), max_size=None) as socket_:
        session = Session(arguments.page, socket_)
        await session.open()
        if arguments.slider not in session.sliders:
            raise SystemExit(f"the page shows no slider {arguments.slider!r}; it has {sorted(session.sliders)}")
        turn = number
        for name in [SLIDER, WHOLE_PAGE] if arguments.full else [SLIDER]:
            seconds = session.reruns[name] = []
            await class_.wait()
            end = time.monotonic() + arguments.seconds
            await asyncio.sleep(random.Random(number).random())  # nobody moves to a common beat
            while time.monotonic() < end:
                turn += 1
                slider = session.sliders[arguments.slider]
                value = slider.low + turn % int(slider.high - slider.low + 1)
                start = time.monotonic()
                seconds.append(await session.move(slider, value, whole_page=name == WHOLE_PAGE))
                await asyncio.sleep(max(0.0, 1.0 - (time.monotonic() - start)))
        return session


async def sessions_at(url: str, arguments: argparse.Namespace) -> list[Session]:
    """A class of `arguments.sessions` at a server that runs already; see `learner` for the other arguments."""
    class_ = asyncio.Barrier(arguments.sessions)
    return await asyncio.gather(*(learner(url, arguments, class_, number) for number in range(arguments.sessions)))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _train_beside(data: str, n_run: int) -> list[str]:
    """Queue training runs, each of another learner; the server's supervisor takes them up."""
    os.environ["GLASSFORMER_DATA"] = data
    from core.jobs.store import Store
    from core.train.recipes import RECIPES

    recipe = RECIPES["python-topics"].to_dict()
    return [Store().create(f"load-test-{n}", recipe, seed=n) for n in range(n_run)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--minutes", type=float, help="in place of --seconds")
    parser.add_argument("--page", default="heads", help="the page's URL name")
    parser.add_argument("--slider", default="Layer", help="label of the slider that the sessions move")
    parser.add_argument("--runs", type=int, default=1, help="training runs beside (0: none)")
    parser.add_argument("--full", action="store_true", help="a second round: every move reruns the whole page")
    arguments = parser.parse_args()
    if arguments.minutes is not None:
        arguments.seconds = arguments.minutes * 60

    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "GLASSFORMER_DATA": data}
        command = [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            "app.py",
            f"--server.port={port}",
            "--server.headless=true",
        ]
        server = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)
        try:
            wait_until_warm(f"{url}/api/ready")
            runs = _train_beside(data, arguments.runs)
            server_pid, states = server.pid, [_state(server.pid, "before")]
            threading.Timer(arguments.seconds / 2, lambda: states.append(_state(server_pid, "halfway"))).start()
            sessions = asyncio.run(sessions_at(url, arguments))
            states.append(_state(server_pid, "at the end"))
            _report(sessions, arguments)
            print("\n".join(states))
            _report_runs(runs)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(20)


def _state(pid: int, when: str) -> str:
    """Memory, threads and open files of a process, where the system tells (Linux)."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        n_file = len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return f"{when:>10}: this system does not tell"
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    n_megabyte = int(facts["VmRSS"].split()[0]) // 1024
    return f"{when:>10}: {n_megabyte} MB resident, {facts['Threads'].strip()} threads, {n_file} open files"


def _report(sessions: list[Session], arguments: argparse.Namespace) -> None:
    print(f"{len(sessions)} sessions, {arguments.seconds:.0f} s, {arguments.runs} training run(s) beside")
    _report_times("first load", [session.first_load for session in sessions])
    n_rerun = 0
    for name in sessions[0].reruns:
        times = [seconds for session in sessions for seconds in session.reruns[name]]
        n_rerun += len(times)
        _report_times(name, times)
    print(f"    errors: {sum(session.n_error for session in sessions)}")
    print(f"  received: {sum(session.n_byte for session in sessions) / max(n_rerun, 1) / 1000:.1f} kB a rerun")


def _report_times(name: str, seconds: list[float]) -> None:
    p50, p95, p99 = np.percentile(np.array(seconds) * 1000, [50, 95, 99])
    print(f"{name:>10}: n {len(seconds):5d}  p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  p99 {p99:6.0f} ms")


def _report_runs(runs: list[str]) -> None:
    from core.jobs.store import Store

    for run in runs:
        info = Store().get(run)
        print(f"  training: {info.state}, step {info.step} of {info.n_step}")


if __name__ == "__main__":
    main()
