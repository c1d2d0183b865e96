"""Sixty learners on one server: how long does a rerun of the attention page take while a model trains beside them?

    python -m benchmarks.load [--sessions 60] [--seconds 30] [--page attention/heads] [--no-training]

Each session is a raw websocket client that speaks Streamlit's own protocol (one Chromium for each would need a machine
of its own). It opens the page, then asks for a rerun once a second, each time with another head chosen, and takes the
time from the request to the server's "script finished". The server is started here, on a free port, with a data folder
of its own; a training run goes beside it unless told otherwise.
"""

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Session:
    """One learner: the widgets that the page has shown, and the seconds that each rerun took."""

    page: str
    socket: ClientConnection
    first_load: float = 0.0
    reruns: list[float] = field(default_factory=list)
    n_error: int = 0
    sliders: dict[str, tuple[str, float, float]] = field(default_factory=dict)  # label -> id, smallest, largest
    n_byte: int = 0

    async def rerun(self, widgets: list[WidgetState]) -> float:
        """Ask for a rerun with these widget values; return the seconds until the script has finished."""
        message = BackMsg()
        message.rerun_script.page_name = self.page
        message.rerun_script.widget_states.widgets.extend(widgets)
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while True:
            data = await self.socket.recv(decode=False)
            self.n_byte += len(data)
            answer = ForwardMsg.FromString(data)
            if answer.WhichOneof("type") == "delta" and answer.delta.WhichOneof("type") == "new_element":
                element = answer.delta.new_element
                if element.WhichOneof("type") == "exception":
                    self.n_error += 1
                if element.WhichOneof("type") == "slider":
                    slider = element.slider
                    self.sliders[slider.label] = (slider.id, slider.min, slider.max)
            elif answer.WhichOneof("type") == "script_finished":
                if answer.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                    self.n_error += 1
                return time.perf_counter() - start


async def learner(url: str, page: str, label: str, until: float, number: int) -> Session:
    """Open the page, then move the slider `label` once a second."""
    await asyncio.sleep(number * 0.05)  # a class does not press return in the same millisecond
    address = url.replace("http", "ws") + "/_stcore/stream"
    async with connect(address, subprotocols=["streamlit"], origin=url, max_size=None) as socket_:
        session = Session(page, socket_)
        session.first_load = await session.rerun([])
        if label not in session.sliders:
            raise SystemExit(f"the page shows no slider {label!r}; it has {sorted(session.sliders)}")
        slider, low, high = session.sliders[label]
        turn = number
        while time.monotonic() < until:
            turn += 1
            value = low + turn % int(high - low + 1)
            state = WidgetState(id=slider)
            state.double_array_value.data.append(value)
            start = time.monotonic()
            session.reruns.append(await session.rerun([state]))
            await asyncio.sleep(max(0.0, 1.0 - (time.monotonic() - start)))
        return session


async def _class(arguments: argparse.Namespace, url: str) -> list[Session]:
    until = time.monotonic() + arguments.seconds
    learners = (learner(url, arguments.page, arguments.slider, until, number) for number in range(arguments.sessions))
    return await asyncio.gather(*learners)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(url: str, path: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(url + path, timeout=2).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


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
    parser.add_argument("--page", default="heads", help="the page's URL name")
    parser.add_argument("--slider", default="Layer", help="label of the slider that the sessions move")
    parser.add_argument("--runs", type=int, default=1, help="training runs beside (0: none)")
    arguments = parser.parse_args()

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
            _wait(url, "/_stcore/health")
            _wait(url, "/api/ready")
            time.sleep(3)  # the warm-up's imports and the supervisor
            runs = _train_beside(data, arguments.runs)
            sessions = asyncio.run(_class(arguments, url))
            _report(sessions, arguments)
            _report_runs(runs)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(20)


def _report(sessions: list[Session], arguments: argparse.Namespace) -> None:
    reruns = np.array([seconds for session in sessions for seconds in session.reruns]) * 1000
    first = np.array([session.first_load for session in sessions]) * 1000
    print(f"{len(sessions)} sessions, {arguments.seconds:.0f} s, {arguments.runs} training run(s) beside")
    for name, values in (("first load", first), ("rerun", reruns)):
        p50, p95, p99 = np.percentile(values, [50, 95, 99])
        print(f"{name:>10}: n {len(values):5d}  p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  p99 {p99:6.0f} ms")
    print(f"    errors: {sum(session.n_error for session in sessions)}")
    print(f"  received: {sum(session.n_byte for session in sessions) / max(len(reruns), 1) / 1000:.1f} kB a rerun")


def _report_runs(runs: list[str]) -> None:
    from core.jobs.store import Store

    for run in runs:
        info = Store().get(run)
        print(f"  training: {info.state}, step {info.step} of {info.n_step}")


if __name__ == "__main__":
    main()
