"""The supervisor, a small process that assigns queued runs to worker processes and records how they end.

    python -m core.jobs.supervisor      (the server starts it with `start_supervisor`)

It never imports torch. Workers are forked from a fork server that does (on Linux: 0.02 s a worker); elsewhere they are
spawned, and one spare waits with everything imported. One supervisor works per data folder; further ones (of two
servers on one folder) stand by and take over when it ends. It ends when its standard input does, that is when its
server ends in whatever way. Its workers then write a last checkpoint, and their runs go back to the queue.
"""

import json
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from core.data.localization.labels import module_labels
from core.jobs import operating_system
from core.jobs.store import RunStore
from core.jobs.supervisor_launcher import SupervisorHandle, start_supervisor
from core.jobs.worker import GRACE_SECONDS, Job, run_job, run_worker

LABELS = module_labels("core.jobs.supervisor")  # its __name__ is "__main__" in its own process

__all__ = ["Supervisor", "SupervisorHandle", "main", "start_supervisor"]

POLL_SECONDS = 0.05
LOOK_AROUND_SECONDS = 1.0
HUNG_SECONDS = 300.0  # a worker of ours that shows no sign of life for this long is ended
DEAF_SECONDS = 8.0  # the time that a worker of ours has to write its checkpoint after a request to stop
VANISHED_SECONDS = 15.0  # a worker of an earlier supervisor that shows no sign of life for this long is given up
logger = logging.getLogger("glassformer.supervisor")


@dataclass
class _WorkerProcess:
    """A worker process and the pipe to it. Closing `line` asks the process to end."""

    process: BaseProcess
    line: Connection
    run_id: str = ""
    attempt: int = 0


@dataclass
class _RunHealth:
    """The time for which a running run has shown no sign of life, in seconds that this process was awake."""

    attempt: int
    heartbeat: float
    silent: float = 0.0
    deaf: float = 0.0  # seconds since a request to stop that it hasn't obeyed


class Supervisor:
    """The loop that claims queued runs for up to `n_slot` worker processes; the fork server imports `preload`."""

    def __init__(self, store: RunStore, n_slot: int, job: Job = run_job, preload: str = "core.jobs.preload") -> None:
        self.store, self.n_slot, self.job = store, n_slot, job
        self._workers: list[_WorkerProcess] = []
        self._spare: _WorkerProcess | None = None
        self._watched: dict[str, _RunHealth] = {}
        self._cluster: Any = None
        self._forks = sys.platform == "linux"  # elsewhere forked children may not use the GPU or system libraries
        self._context: Any = multiprocessing.get_context("forkserver" if self._forks else "spawn")
        if self._forks:
            self._context.set_forkserver_preload([preload])

    def run(self, ending: threading.Event) -> None:
        """Work until `ending` is set, then ask the workers to end and wait for them."""
        with self.store.held_open():
            self._take_over()
            self._warm_up()
            self._join_cluster(ending)
            last_look = 0.0
            while not ending.wait(POLL_SECONDS):
                try:
                    self._collect()
                    if time.monotonic() - last_look >= LOOK_AROUND_SECONDS:
                        last_look = time.monotonic()
                        self._look_around()
                        self._hand_over()
                    self._fill_slots()
                except Exception:
                    # A locked or full disk is temporary; a supervisor that gave up would stop everybody's runs.
                    logger.exception("a round failed and is tried again")
                    ending.wait(1.0)
            self._end()
            if self._cluster:
                self._cluster.join()

    def _join_cluster(self, ending: threading.Event) -> None:
        """Start sending runs to a cluster, if one is configured; they go there while it can be reached."""
        if not (address := os.environ.get("GLASSFORMER_CLUSTER")):
            self.store.note_cluster(0, [])
            return
        try:
            from core.jobs.cluster.cluster_client import ClusterClient
        except ImportError as error:
            self.store.note_cluster(0, [LABELS("package_missing", package=error.name)])
            logger.error("GLASSFORMER_CLUSTER is set, but %s is not installed; training goes on here", error.name)
            return
        self._cluster = ClusterClient(self.store, address, ending)
        self._cluster.start()

    def _take_over(self) -> None:
        """Clean up after a supervisor that died: finish its removals, and requeue runs that no worker has begun."""
        self.store.tidy()
        self.store.tidy_folders()
        for run_id, attempt, pid, _, _ in self.store.running():
            if pid is None:  # if a worker does start later, it finds that the run is no longer its own
                self.store.put_back(run_id, attempt)

    def _warm_up(self) -> None:
        if self._forks:
            from multiprocessing.forkserver import ensure_running

            # Start importing at once and at full speed (only workers are niced); the first worker waits for the rest.
            ensure_running()
        else:
            self._spare = self._start()

    def _fill_slots(self) -> None:
        if self._cluster and self._cluster.is_connected:
            return
        while len(self._workers) < self.n_slot:
            claimed = self.store.claim(self.n_slot - len(self._workers))
            if claimed is None:
                return
            worker = self._spare or self._start()
            worker.run_id, worker.attempt = claimed
            self._workers.append(worker)
            with suppress(OSError):  # the next round finds a worker that is already dead
                worker.line.send_bytes(json.dumps(claimed).encode())
            logger.info("run %s attempt %d: worker %s", *claimed, worker.process.pid)
            self._spare = None if self._forks else self._start()

    def _hand_over(self) -> None:
        """Move runs to the cluster: ask as many local workers to end as the cluster has free ones.

        The runs continue there from their checkpoints. They only came here while the cluster had no usable worker, and
        a worker that was killed is back within seconds.
        """
        for worker in self._workers[: self._cluster.n_free if self._cluster else 0]:
            worker.line.close()

    def _start(self) -> _WorkerProcess:
        theirs, ours = self._context.Pipe(duplex=False)
        process = self._context.Process(target=run_worker, args=(self.store.root, theirs, self.job), daemon=True)
        process.start()
        theirs.close()
        return _WorkerProcess(process, ours)

    def _collect(self) -> None:
        """Remove workers that have ended. If one couldn't store how it ended, its exit code tells."""
        for worker in [worker for worker in self._workers if not worker.process.is_alive()]:
            worker.line.close()
            code = worker.process.exitcode
            # 255: the fork server died, not the worker. It was asked to end, and is watched like any foreign worker.
            if not (code == 255 and self._still_there(worker)):
                message = _how_it_ended(code)
                if self.store.leave(worker.run_id, worker.attempt, "failed", message):
                    logger.warning("run %s failed: %s", worker.run_id, message)
                self.store.tidy()
            self._workers.remove(worker)  # last: if the store could not be written, the next round tries again
            logger.info("run %s attempt %d: exit code %s", worker.run_id, worker.attempt, code)

    def _still_there(self, worker: _WorkerProcess) -> bool:
        rows = [row for row in self.store.running() if row[:2] == (worker.run_id, worker.attempt)]
        return bool(rows) and operating_system.is_process_alive(rows[0][2])

    def _look_around(self) -> None:
        """Find workers that hang, and runs whose worker died with an earlier supervisor."""
        ours = {worker.run_id: worker for worker in self._workers}
        running = self.store.running()
        for run_id, attempt, pid, heartbeat, request in running:
            watched = self._watched.get(run_id)
            if watched is None or watched.attempt != attempt:
                watched = self._watched[run_id] = _RunHealth(attempt, heartbeat)
            # Counted in rounds, not by the clock, so that no worker is suspected after a laptop has slept.
            watched.silent = watched.silent + LOOK_AROUND_SECONDS if heartbeat == watched.heartbeat else 0.0
            watched.deaf = watched.deaf + LOOK_AROUND_SECONDS if request == "stop" else 0.0
            watched.heartbeat = heartbeat
            if run_id in ours:
                if watched.deaf >= DEAF_SECONDS:
                    ours[run_id].process.kill()
                    self.store.leave(run_id, attempt, "stopped", LABELS["not_responding"])
                elif watched.silent >= HUNG_SECONDS:
                    ours[run_id].process.kill()
                    message = LABELS("no_progress", minutes=HUNG_SECONDS / 60)
                    self.store.leave(run_id, attempt, "failed", message)
            elif (pid is not None and not operating_system.is_process_alive(pid)) or watched.silent >= VANISHED_SECONDS:
                logger.warning("run %s lost its worker and goes back to the queue", run_id)
                self.store.put_back(run_id, attempt)
        gone = self._watched.keys() - {row[0] for row in running}
        for run_id in gone:
            del self._watched[run_id]

    def _end(self) -> None:
        workers = self._workers + ([self._spare] if self._spare else [])
        for worker in workers:
            worker.line.close()
        until = time.monotonic() + GRACE_SECONDS + 1.0
        for worker in workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join(2.0)
            if worker.run_id:
                self.store.put_back(worker.run_id, worker.attempt)  # no effect if the worker did so itself


def _how_it_ended(code: int | None) -> str:
    if code is not None and code == -getattr(signal, "SIGKILL", 9):
        return LABELS["no_memory"]
    if code is not None and code < 0:
        return LABELS("ended_by_signal", signal=-code)
    return LABELS("ended_with_code", code=code)


def main(job: Job = run_job, preload: str = "core.jobs.preload") -> None:
    """Run a supervisor for the folder named in the first argument until standard input ends."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    store = RunStore(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    os.environ.update(operating_system.one_thread_environment())
    ending = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ending.set())
    for wait in (_await_end_of_input, _await_end_of_parent):
        threading.Thread(target=wait, args=(ending,), daemon=True).start()
    lock = FileLock(store.root / "supervisor.lock")
    while not ending.is_set():
        try:
            with lock.acquire(timeout=0):
                logger.info("pid %d works with %d slots", os.getpid(), operating_system.n_slot())
                Supervisor(store, operating_system.n_slot(), job, preload).run(ending)
        except Timeout:
            ending.wait(0.5)  # another supervisor is working; stand by


def _await_end_of_input(ending: threading.Event) -> None:
    with suppress(OSError, ValueError):
        while os.read(0, 1024):
            pass
    ending.set()


def _await_end_of_parent(ending: threading.Event) -> None:
    """Set `ending` when the parent dies, in case another child of the server holds the other end of our input."""
    parent = os.getppid()
    while sys.platform != "win32" and not ending.wait(1.0):
        if os.getppid() != parent:
            ending.set()


if __name__ == "__main__":
    main()
