"""A clean clone, a home that nobody has used, and a shell in it with no variables set: where the README is typed."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.chromium import LONGEST_WAIT
from tests.repo.readme.blocks import ROOT

PIP = re.compile(r"PIP_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|https?_proxy|no_proxy", re.IGNORECASE)  # how pip is set up
HOUR = 3600.0  # seconds until a command has hung; a slow machine is no fault


def copy_house(house: Path) -> Path:
    """The files of the house as a clone would have them, those not yet committed included."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, files):
        if (ROOT / name).exists():
            (house / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, house / name)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=house, check=True)
    return house


@dataclass(frozen=True)
class Shell:
    """Bash in a folder, with HOME, PATH and LANG, and what pip needs to find its packages.

    Attributes:
        folder: where commands are typed.
        home: a home folder without anything but pip's own settings.
        programs: the folder of `python`, first in PATH.
    """

    folder: Path
    home: Path
    programs: Path

    @property
    def environment(self) -> dict[str, str]:
        own = [one for one in os.environ.get("PATH", os.defpath).split(os.pathsep) if one]
        others = [one for one in own if not (Path(one).parent / "pyvenv.cfg").exists()]
        path = os.pathsep.join([str(self.programs), *others])
        pip = {name: value for name, value in os.environ.items() if PIP.fullmatch(name)}
        return pip | {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}

    def type(self, command: str, *, seconds: float = HOUR, fails: bool = False) -> str:
        """Run a command to its end, which must be a good one (a bad one if `fails`). Returns what it printed."""
        run = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, check=False,
        )  # fmt: skip
        assert (run.returncode != 0) == fails, f"{command}\nended with {run.returncode}:\n{run.stdout[-3000:]}"
        return run.stdout

    @contextmanager
    def start(self, command: str) -> Iterator["Started"]:
        """A command that runs until the block ends: Ctrl-C, and no mercy after a minute."""
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                ["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            started = Started(command, process, output.fileno())
            try:
                yield started
            finally:
                started.stop()


@dataclass(frozen=True)
class Started:
    """A running command."""

    command: str
    process: "subprocess.Popen[bytes]"
    output: int

    def printed(self) -> str:
        """The output so far."""
        size = os.fstat(self.output).st_size
        return os.pread(self.output, size, 0).decode(errors="replace")

    def check(self) -> None:
        """Fail, with what it printed, if it has ended."""
        code = self.process.poll()
        assert code is None, f"{self.command}\nended with {code}:\n{self.printed()[-3000:]}"

    def stop(self) -> None:
        """Ctrl-C, as the terminal sends it to all of its programs."""
        for number, seconds in ((signal.SIGINT, 60.0), (signal.SIGKILL, None)):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(seconds)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
            break
        self.process.wait()


def wait_until(come: Callable[[], Any], seconds: float = LONGEST_WAIT) -> Any:
    """The first true answer; fails where none comes for so long that something must be wrong."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := come():
            return found
        time.sleep(0.2)
    raise AssertionError(f"nothing came in {seconds:.0f} s")


def shell(folder: Path, programs: Path = Path(sys.executable).parent) -> Shell:
    """Make a clean clone in this folder and a shell in it; `programs` are the tests' by default."""
    home = folder / "home"
    home.mkdir()
    for name in (".config/pip", ".pip"):
        if (Path.home() / name).exists():
            (home / name).parent.mkdir(exist_ok=True)
            (home / name).symlink_to(Path.home() / name)
    return Shell(copy_house(folder / "glassformer"), home, programs)


def bare_shell(folder: Path) -> Shell:
    """A shell in a clean clone, in a new environment that has Python and pip alone."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "python").symlink_to(getattr(sys, "_base_executable", sys.executable))
    here = shell(folder, programs)
    here.type("python -m venv .venv")
    return replace(here, programs=here.folder / ".venv" / "bin")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A clean clone for all tests of a file, with the programs that the tests run with."""
    return shell(tmp_path_factory.mktemp("clone"))


@pytest.fixture
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nobody else types at the same time what listens at a port that the README names."""
    with FileLock(tmp_path_factory.getbasetemp().parent / "ports-of-the-readme.lock"):
        yield
