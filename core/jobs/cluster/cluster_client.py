"""The client of a cluster: it assigns runs to the workers and writes their reports to the store.

Each worker has a thread here, which does for a remote run what a local worker process does for a local one. If a worker
or the scheduler dies, the training since the last checkpoint is lost: the run goes back to the queue. Every report
names its attempt, so that nothing from an earlier one is stored.
"""

import logging
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from distributed import Client

from core.data import corpora
from core.data.corpora import CorpusRefused
from core.data.localization.labels import module_labels
from core.data.synthetic.tasks import TASK_PREFIX
from core.jobs.cluster import remote_worker
from core.jobs.cluster.remote_run_reporter import RemoteMessageRecorder, ReportNotStored
from core.jobs.cluster.scheduler_address import SCHEDULER_ADDRESS
from core.jobs.database import RunReassigned
from core.jobs.reporter import FLUSH_SECONDS, JobRequest
from core.jobs.store import RunStore
from core.jobs.worker import STATE_AFTER, JobRefused

LABELS = module_labels(__name__)

PROGRAM = "python -m core.jobs.cluster"
# With the first option alone, the scheduler still serves /metrics and /info to every network at port 8787.
NO_DASHBOARD = "--no-dashboard --dashboard-address 127.0.0.1:0"
INSTALL = "`pip install -r requirements.txt distributed==2026.8.0`"


def _no_scheduler_message(address: str) -> str:
    """Return the message for a scheduler that doesn't answer at this address, "tcp://10.0.0.1:8786"."""
    if not SCHEDULER_ADDRESS.fullmatch(address):
        return LABELS("bad_address", address=repr(address))
    return LABELS("no_scheduler", address=address, command=_scheduler_command(address))


def _scheduler_command(address: str) -> str:
    """Return the command that starts a scheduler at this address, which must match `address.SCHEDULER_ADDRESS`."""
    protocol, host, port = SCHEDULER_ADDRESS.fullmatch(address).groups()  # type: ignore[union-attr]
    host = host if protocol == "tcp" else f"tls://{host}"
    return f"dask scheduler --host {host} --port {port} {NO_DASHBOARD}"


def _no_worker_message(address: str) -> str:
    """Return the message for a scheduler that no worker has joined."""
    return LABELS("no_worker", program=PROGRAM, address=address)


def _unusable_worker_message(found: object, address: str) -> str:
    """Return the message for a worker that can't be used.

    Args:
        found: a fingerprint that differs from ours, or the error raised instead.
    """
    # Dask may pass an error on as a plain Exception with the original's text.
    missing = re.search(r"No module named '(\w+)", str(found)) if isinstance(found, Exception) else None
    if missing or isinstance(found, ImportError):
        lacks = (missing[1] if missing else getattr(found, "name", None) or "core").partition(".")[0]
        if lacks == "core":
            return LABELS("cant_import", program=PROGRAM, address=address)
        return LABELS("package_missing", package=lacks, install=INSTALL)
    if isinstance(found, OSError):
        return LABELS["no_answer"]
    if isinstance(found, Exception) and not isinstance(found, JobRefused):
        name = type(found).__name__
        return LABELS("cant_read_run", error=name, program=PROGRAM, address=address)
    return LABELS("other_version", install=INSTALL)


CHECK_SECONDS = 0.1
MEMBER_CHECK_SECONDS = 1.0  # between two checks of the cluster's members
CONNECT_SECONDS = 3.0
PATIENCE_SECONDS = 60.0  # in which a worker must answer; a large checkpoint needs them on a slow network
MAX_WORKERS_AT_FULL_RATE = 25  # workers; with more, each is polled less often, to limit the scheduler's load
CHECKPOINT_PAUSE = 9.0  # times the last one's transfer time, so that points come first on a slow network
DEAF_SECONDS = 20.0  # the time that a job has to answer a request to stop
RETRY_SECONDS = 60.0  # after which a worker that was refused is tried again
MAX_FAILED = 3  # runs in a row that a worker failed to begin
_LOG = logging.getLogger("glassformer.cluster")
T = TypeVar("T")


class ClusterClient(threading.Thread):
    """The client's main thread: works until `ending` is set, and reconnects whenever the cluster was lost.

    Args:
        store: of the runs.
        address: of the scheduler, "tcp://host:8786" or "tls://…".
    """

    def __init__(self, store: RunStore, address: str, ending: threading.Event) -> None:
        super().__init__(name="cluster", daemon=True)
        self.store, self.address, self.ending = store, address, ending
        self.client: Any = None
        self.links: dict[str, _WorkerLink] = {}
        self.refused: dict[str, _WorkerRefusal] = {}  # by the address of the worker
        self._is_lost = False

    @property
    def is_connected(self) -> bool:
        """True if there is a worker that can train."""
        return any(link.is_ready for link in list(self.links.values()))

    @property
    def n_free(self) -> int:
        """The number of workers that could train a run now."""
        return sum(link.is_ready and link.is_free for link in list(self.links.values()))

    def run(self) -> None:
        looked = 0.0
        while not self.ending.wait(CHECK_SECONDS):
            try:
                if time.monotonic() - looked >= MEMBER_CHECK_SECONDS:
                    looked = time.monotonic()
                    self._look_around()
                free = [link for link in list(self.links.values()) if link.is_ready and link.is_free]
                while free and (claimed := self.store.claim(len(free))):
                    free.pop().carry(*claimed)
            except sqlite3.Error as error:  # a locked or full disk is temporary and not the cluster's fault
                _LOG.warning("the runs can't be read or written, which is tried again: %s", error)
            except Exception as error:  # a broken connection may raise almost anything
                if self.client is not None or not self._is_lost:
                    _LOG.warning("the cluster at %s can't be reached: %s", self.address, error)
                self._is_lost = True
                self._lose(_no_scheduler_message(self.address))
        for link in list(self.links.values()):
            link.join(DEAF_SECONDS)
        self._lose()

    def refuse(self, link: "_WorkerLink", why: str) -> None:
        """Give this worker no more runs for a while. Ignored if another link has replaced this one."""
        _LOG.warning("%s is refused: %s", link.address, why)
        if self.links.get(link.address) is link:
            self.refused[link.address] = _WorkerRefusal(why, time.monotonic())
            del self.links[link.address]

    def _look_around(self) -> None:
        """Connect if necessary, and keep a link to each worker; the link finds out whether it can be used."""
        if self.client is None or self.client.status != "running":
            if self.client is not None:
                self._lose()
            self.client = Client(self.address, timeout=CONNECT_SECONDS, set_as_default=False)
            self._is_lost = False
            _LOG.info("connected to the cluster at %s", self.address)
        there = self._workers()
        for address, link in list(self.links.items()):
            if address not in there or not link.is_alive():
                self.links.pop(address, None)  # its thread finds out by itself
        recently = time.monotonic() - RETRY_SECONDS
        for address, refusal in list(self.refused.items()):
            if address not in there or ((known := self.links.get(address)) and known.is_ready):
                self.refused.pop(address, None)
            elif refusal.time > recently:
                there.discard(address)
        for address in there - set(self.links):
            self.links[address] = _WorkerLink(self, address)
            self.links[address].start()
        why = {refusal.why for refusal in list(self.refused.values())}
        if not there and not why:
            why.add(_no_worker_message(self.address))
        self._note(sum(link.is_ready for link in list(self.links.values())), sorted(why))

    def _workers(self) -> set[str]:
        """Return the addresses of all workers.

        `Client.scheduler_info` won't do, because a timer of Dask's may replace its answer by one without workers.
        """
        try:
            return set(self.client.sync(self.client.scheduler.identity, n_workers=-1)["workers"])
        except OSError:  # if the scheduler is gone, the client's status shows it at the next check
            return set(self.links)

    def _note(self, n_ready: int, why: Sequence[str]) -> None:
        with suppress(OSError):  # a full disk; the next check tries again
            self.store.note_cluster(n_ready, why)

    def _lose(self, *why: str) -> None:
        self.links, self.refused = {}, {}
        self._note(0, why)
        client, self.client = self.client, None
        if client is not None:
            with suppress(Exception):
                client.close(timeout=1)


class _WorkerRefusal(NamedTuple):
    """The reason why a worker gets no runs, as a message, and when it was found."""

    why: str
    time: float


class _WorkerLink(threading.Thread):
    """The client's thread for one worker: it carries one run at a time, from the claim to the end."""

    def __init__(self, home: ClusterClient, address: str) -> None:
        super().__init__(name=f"link {address}", daemon=True)
        self.home, self.address = home, address
        self.client, self.store = home.client, home.store
        self.is_ready = False
        self._claimed: tuple[str, int] | None = None
        self._due = threading.Event()
        self._pool = ThreadPoolExecutor(1, f"line {address}")
        self._next_checkpoint = 0.0  # the earliest time for one
        self._n_failed = 0  # starts in a row

    @property
    def is_free(self) -> bool:
        return self._claimed is None

    def carry(self, run_id: str, attempt: int) -> None:
        """Take this run; the link's thread starts it."""
        self._claimed = run_id, attempt
        self._due.set()

    def run(self) -> None:
        if self._is_usable():
            self._wait_until_free()
            self.is_ready = True
        while self.is_ready and self.home.links.get(self.address) is self and not self.home.ending.is_set():
            if not self._due.wait(CHECK_SECONDS):
                continue
            self._try_to_carry(*(self._claimed or ("", 0)))
            self._wait_until_free()
            self._due.clear()
            self._claimed = None
        self.is_ready = False
        if self._due.is_set() and self._claimed:  # it came while this link was ending
            self.store.put_back(*self._claimed, is_lost=False)
        self._pool.shutdown(wait=False)

    def _is_usable(self) -> bool:
        """Return whether the worker has this program; if not, refuse it, and the page shows why."""
        try:
            found = self._pool.submit(self._call, remote_worker.program_fingerprint).result(PATIENCE_SECONDS)
        except Exception as error:
            found = error
        if found == remote_worker.program_fingerprint():
            return True
        self.home.refuse(self, _unusable_worker_message(found, self.home.address))
        return False

    def _try_to_carry(self, run_id: str, attempt: int) -> None:
        """Carry a run, and put it back into the queue if the worker or the connection is lost.

        Only losing a worker after the job began counts against the run; everything else is the cluster's fault.
        """
        is_sent = has_begun = False
        try:
            task, keeper = self._prepare(run_id, attempt)
            is_sent = True
            self._meanwhile(keeper, lambda: self._call(remote_worker.start_job_thread, task))
            has_begun, self._n_failed = True, 0
            self._carry(task.key, keeper)
        except RunReassigned:
            pass
        except (CorpusRefused, ReportNotStored) as error:
            self.store.leave(run_id, attempt, "failed", str(error))
        except Exception as error:
            _LOG.warning("run %s lost its worker %s and goes back to the queue: %s", run_id, self.address, error)
            self._n_failed += is_sent and not has_begun
            is_unable = isinstance(error, ImportError) or (is_sent and not has_begun and not isinstance(error, OSError))
            if is_unable or self._n_failed >= MAX_FAILED:
                self.home.refuse(self, _unusable_worker_message(error, self.home.address))
            # Otherwise the scheduler is lost.
            is_there = self.home.client is self.client and getattr(self.client, "status", "running") == "running"
            self.store.put_back(run_id, attempt, is_lost=has_begun and is_there and not is_unable)

    def _prepare(self, run_id: str, attempt: int) -> tuple[remote_worker.RemoteJob, RemoteMessageRecorder]:
        """Return the job as plain data, and the reporter that stores its messages. Raises Superseded, CorpusRefused."""
        info = self.store.begin(run_id, attempt, os.getpid())
        keeper = RemoteMessageRecorder(self.store, run_id, attempt, info.seconds, self.home.ending.is_set)
        text, files = _own_text(info.recipe), keeper.kept_files()
        key = f"{run_id}-{attempt}"
        return remote_worker.RemoteJob(
            key, remote_worker.program_fingerprint(), info.recipe, info.seed, text, files, info.until, info.watch
        ), keeper

    def _carry(self, key: str, keeper: RemoteMessageRecorder) -> None:
        """Poll the run's mailbox until the job is over. Raises NotKept, and any error that a lost worker causes."""
        _LOG.info("run %s: worker %s", key, self.address)
        asked_since = 0.0
        while keeper.ended is None:
            asked = keeper.should_stop()
            keeper.take(self._look_in(keeper, key, asked))
            asked_since = 0.0 if asked is None else asked_since or time.monotonic()
            if asked_since and time.monotonic() - asked_since > DEAF_SECONDS:
                raise TimeoutError("it does not stop")
            if keeper.ended is None:
                time.sleep(FLUSH_SECONDS * max(1.0, len(self.home.links) / MAX_WORKERS_AT_FULL_RATE))
        outcome, message = keeper.ended
        if outcome == "unable":
            raise ImportError(name=message)
        step = None if outcome in ("failed", "diverged") else keeper.step
        self.store.leave(keeper._run_id, keeper._attempt, STATE_AFTER.get(outcome, "failed"), message, step=step)

    def _look_in(
        self, keeper: RemoteMessageRecorder, key: str, asked: JobRequest | None
    ) -> list[remote_worker.JobMessage]:
        """Return the new messages of the mailbox."""
        began = time.monotonic()
        has_time = began >= self._next_checkpoint
        letters = self._meanwhile(
            keeper, lambda: self._call(remote_worker.collect_messages, key, asked, keeper.n_known, has_time)
        )
        if any(letter.what == "keep" for letter in letters):
            now = time.monotonic()
            self._next_checkpoint = now + CHECKPOINT_PAUSE * (now - began)
        return letters

    def _meanwhile(self, keeper: RemoteMessageRecorder, call: Callable[[], T]) -> T:
        """Return a call's result; the run counts as alive meanwhile, as this may take long on a slow network."""
        coming, began = self._pool.submit(call), time.monotonic()
        while not wait([coming], timeout=1.0).done:
            keeper.take([])
            if self.home.links.get(self.address) is not self:  # the scheduler notices before our call times out
                raise ConnectionError("it is gone")
            if time.monotonic() - began > PATIENCE_SECONDS:
                raise TimeoutError("it does not answer")
        return coming.result()

    def _call(self, do: object, *given: object) -> Any:
        """Call a function on the worker while its job runs. Raises its errors, and OSError if the worker is gone."""
        return self.client.run(do, *given, workers=[self.address])[self.address]

    def _wait_until_free(self) -> None:
        """End jobs that may still run on the worker after this link or an earlier one gave them up."""
        while self.home.links.get(self.address) is self and not self.home.ending.is_set():
            with suppress(Exception):
                if not (keys := self._call(remote_worker.running_job_keys)):
                    return
                for key in keys:
                    self._call(remote_worker.collect_messages, key, "yield", 0, False)
            time.sleep(MEMBER_CHECK_SECONDS)


def _own_text(recipe: dict[str, Any]) -> str | None:
    """Return a text that only this machine has, or None. Raises core.data.corpora.CorpusRefused if it is gone."""
    name = recipe.get("corpus")
    return None if name is None or name in corpora.names() or name.startswith(TASK_PREFIX) else corpora.load(name).text
