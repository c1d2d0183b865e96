"""Starting the supervisor from the server, and restarting it if it ever dies."""

import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.data.files import data_dir
from core.jobs import operating_system
from core.jobs.cluster.scheduler_address import exposure_warning

MAX_LOG_BYTES = 2**20
REPOSITORY = Path(__file__).resolve().parents[2]
logger = logging.getLogger("glassformer.supervisor")


class SupervisorHandle:
    """A supervisor process for the store in a folder, kept alive until `stop`; tests pass their own module."""

    def __init__(self, folder: Path, module: str = "core.jobs.supervisor") -> None:
        self._folder, self._module = folder, module
        paths = filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")])
        self._environment = (
            os.environ | operating_system.one_thread_environment() | {"PYTHONPATH": os.pathsep.join(paths)}
        )
        self._stopping = threading.Event()
        self._changing = threading.Lock()
        self._process = self._start()
        self._keeper = threading.Thread(target=self._keep, name="supervisor-keeper", daemon=True)
        self._keeper.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self, timeout: float = 15.0) -> None:
        """Let workers write a last checkpoint, then end everything. Runs in progress go back to the queue."""
        with self._changing:
            self._stopping.set()
            process = self._process
        with suppress(OSError):
            if process.stdin:
                process.stdin.close()  # the supervisor ends when its input does
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._keeper.join(2.0)

    def _start(self) -> "subprocess.Popen[bytes]":
        self._folder.mkdir(parents=True, exist_ok=True)
        log = self._folder / "supervisor.log"
        if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
            os.replace(log, log.with_suffix(".log.1"))
        with log.open("ab") as out:
            return subprocess.Popen(
                [sys.executable, "-m", self._module, str(self._folder)],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                cwd=REPOSITORY,
                env=self._environment,
                **_apart(),
            )

    def _keep(self) -> None:
        pause = 0.1
        while True:
            started = time.monotonic()
            code = self._process.wait()
            if self._stopping.is_set():
                return
            logger.warning("the supervisor ended with code %s and is started again", code)
            if self._process.stdin:
                self._process.stdin.close()
            # A supervisor that keeps dying early (on a full disk, say) must not keep the processor busy.
            pause = 0.1 if time.monotonic() - started > 1.0 else min(2.0 * pause, 10.0)
            self._stopping.wait(pause)
            with self._changing:
                if self._stopping.is_set():
                    return
                self._process = self._start()


def start_supervisor(folder: Path | None = None) -> SupervisorHandle:
    """Start the supervisor of the data folder (or of `folder`) in a separate process.

    Call it once, in the server's lifespan, never from a Streamlit script. The supervisor ends when `stop` is called or
    when this process ends, in whatever way. Warns in the log if the cluster's address is open to a network.
    """
    if warning := exposure_warning(os.environ.get("GLASSFORMER_CLUSTER", "")):
        logger.warning(warning)
    return SupervisorHandle(folder if folder is not None else data_dir() / "runs")


def _apart() -> dict[str, Any]:
    """Return the Popen arguments that detach a process from the terminal, so that only the server ends it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}
