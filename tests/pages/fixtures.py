"""A data folder for the rooms, and one real server for the tests that need one, started as a user starts it."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import tiny_model
from tests.chromium import LONGEST_WAIT

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a model of its own, for a checkout without the shipped one."""
    folder = tmp_path_factory.mktemp("data")
    tiny_model.write(folder / "models" / "stories")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(folder))
        yield folder


@dataclass(frozen=True)
class Server:
    """A running server: where it listens and what it has logged so far."""

    port: int
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`streamlit run app.py` on a free port, warmed up, without the supervisor of training runs."""
    folder = tmp_path_factory.mktemp("server")
    log = folder / "log.txt"
    running = Server(_free_port(), log)
    environment = {
        **os.environ,
        "HOME": str(folder),
        "GLASSFORMER_DATA": str(folder / "data"),
        "GLASSFORMER_TRAINING": "off",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={running.port}"]
    with log.open("wb") as sink:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=sink, stderr=sink)
        try:
            _wait_until_ready(running, process)
            yield running
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(server: Server, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/api/ready", timeout=5) as answer:
                if json.load(answer)["ready"]:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not get ready:\n{server.log.read_text(errors='replace')}")
