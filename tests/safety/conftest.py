"""One server for all tests of safety, started as on a first day: nothing in its home, which cannot be written.

A hook in its processes notes every connection that they open and every file that they open for writing.
"""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import counts
from tests.browser.fixtures import ROOT, _free_port
from tests.chromium import LONGEST_WAIT

# Python reads it in every process at its start, worker processes included.
HOOK = """
import os, sys

_LOG = os.open(os.environ["GLASSFORMER_TEST_AUDIT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_BARE = {"os.mkdir", "os.rename", "os.symlink", "os.link", "sqlite3.connect", "os.remove", "os.rmdir"}

def _note(event, args):
    if event in ("socket.connect", "socket.sendto"):
        what = repr(args[1])
    elif event == "open":
        if not (isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            return
        what = repr(args[0])
    elif event in _BARE:
        what = " ".join(map(repr, args[:2]))
    elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "pickle.find_class"):
        what = repr(args[:2])
    else:
        return
    os.write(_LOG, f"{event}\\t{what}\\n".encode("utf-8", "replace"))

sys.addaudithook(_note)
"""


@dataclass(frozen=True)
class Watched:
    """A running server whose processes tell what they connect to and write."""

    port: int
    pid: int
    folder: Path  # its home, data and temporary files are all below

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def data(self) -> Path:
        """Where the app keeps runs and texts; its home cannot be written, so beside the temporary files."""
        return self.folder / "tmp" / f"glassformer-{os.getuid()}"

    def log(self) -> str:
        """What the server has written to its console."""
        return (self.folder / "log.txt").read_text(encoding="utf-8", errors="replace")

    def noted(self, *events: str) -> list[str]:
        """What the hook has noted of these events."""
        lines = (self.folder / "audit.txt").read_text(encoding="utf-8", errors="replace").splitlines()
        return [what for event, _, what in (line.partition("\t") for line in lines) if event in events]

    def memory(self) -> int:
        """The bytes of the server process in memory (its supervisor and workers not counted)."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def worked(self) -> float:
        """The seconds that the server process has worked, which, unlike a clock, no other load makes longer."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(folder: Path, script: str | Path = "app.py", **environment: str) -> tuple[Watched, "subprocess.Popen[bytes]"]:
    """`streamlit run` with a home that cannot be written; returns when it has its imports."""
    for name in ("tmp", "hook", "lessons"):
        (folder / name).mkdir(parents=True)
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    port = _free_port()
    own = {
        "HOME": "/proc/no-home",
        "TMPDIR": str(folder / "tmp"),
        "PYTHONPATH": os.pathsep.join((str(folder / "hook"), str(ROOT))),
        "GLASSFORMER_TEST_AUDIT": str(folder / "audit.txt"),
        "OMP_NUM_THREADS": "1",
        "GLASSFORMER_LESSONS": str(folder / "lessons"),
        "GLASSFORMER_SLOTS": "2",
        "GLASSFORMER_NICE": "0",
        "GLASSFORMER_WARM_UP": "off",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLASSFORMER", "XDG"))}
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"]
    with (folder / "log.txt").open("wb") as sink:
        process = subprocess.Popen(
            command, cwd=ROOT, env=kept | own | environment, stdout=sink, stderr=sink, start_new_session=True
        )
    server = Watched(port, process.pid, folder)
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{server.url}/api/ready", timeout=5):
            return server, process
        time.sleep(0.1)
    stop(process)
    raise RuntimeError(f"the server did not get ready:\n{server.log()[-3000:]}")


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End a server and all that it started."""
    for wish in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, wish)
        with suppress(subprocess.TimeoutExpired):
            process.wait(15)
            return


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """The server, trainings included."""
    server, process = start(tmp_path_factory.mktemp("watched"))
    yield server
    stop(process)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What was counted, for the tests whose result is a number."""
    if counts.TALLIES:
        terminalreporter.section("safety, in full" if counts.IS_FULL else "safety, a small part of the full counts")
        for line in counts.TALLIES:
            terminalreporter.line(line)
