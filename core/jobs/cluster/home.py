"""The home of runs that train on a cluster: gives them to its workers, and keeps what they tell in the store.

Each worker has a thread here, which does for a run far away what a local worker process does for one beside it. A
worker that dies, or a scheduler, costs what was trained since the last checkpoint: the run goes back in line, and every
report names its attempt, so that nothing of the one before is kept.
"""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from distributed import Client

from core.data import corpora
from core.data.files import write_atomic
from core.data.synthetic.tasks import PREFIX
from core.jobs.cluster import remote
from core.jobs.reporter import FLUSH_SECONDS, Asked, StoreReporter
from core.jobs.store import Store, Superseded
from core.jobs.worker import STATE_AFTER, JobRefused, explain

LOOK_SECONDS = 0.1
LOOK_AROUND_SECONDS = 1.0  # between two looks at who is in the cluster
CONNECT_SECONDS = 3.0
PATIENCE_SECONDS = 60.0  # in which a worker must answer; a large checkpoint needs them over a slow line
MANY = 25  # workers: with more, each is looked at less often, so that the scheduler has no more to do
CHECKPOINT_PAUSE = 9.0  # times what the last one took on its way: over a slow line points come first
DEAF_SECONDS = 20.0  # a job that is asked to stop has so long to answer
_LOG = logging.getLogger("glassformer.cluster")
T = TypeVar("T")


class Home(threading.Thread):
    """Works until `ending` is set, and connects anew whenever the cluster was lost.

    Args:
        store: of the runs.
        address: of the scheduler, "tcp://host:8786" or "tls://…".
    """

    def __init__(self, store: Store, address: str, ending: threading.Event) -> None:
        super().__init__(name="cluster", daemon=True)
        self.store, self.address, self.ending = store, address, ending
        self.client: Any = None
        self.links: dict[str, Link] = {}
        self.refused: dict[str, str] = {}  # address of a worker -> why, in words
        self._is_lost = False

    @property
    def is_connected(self) -> bool:
        """Whether there is a worker that trains."""
        return bool(self.links)

    def run(self) -> None:
        looked = 0.0
        while not self.ending.wait(LOOK_SECONDS):
            try:
                if time.monotonic() - looked >= LOOK_AROUND_SECONDS:
                    looked = time.monotonic()
                    self._look_around()
                free = [link for link in self.links.values() if link.is_free]
                while free and (claimed := self.store.claim(len(free))):
                    free.pop().carry(*claimed)
            except Exception as error:  # what a broken line may raise is without end
                if self.client is not None or not self._is_lost:
                    _LOG.warning("the cluster at %s can't be reached: %s", self.address, error)
                self._is_lost = True
                self._lose("its scheduler can't be reached")
        for link in self.links.values():
            link.join(DEAF_SECONDS)
        self._lose()

    def _look_around(self) -> None:
        """Connect where it is necessary, and keep a link to each worker of the same program."""
        if self.client is None or self.client.status != "running":
            if self.client is not None:
                self._lose()
            self.client = Client(self.address, timeout=CONNECT_SECONDS, set_as_default=False)
            self._is_lost = False
            _LOG.info("connected to the cluster at %s", self.address)
        there = set(self.client.scheduler_info(n_workers=-1)["workers"])
        dead = {address for address, link in self.links.items() if not link.is_alive()}
        for gone in (self.links.keys() | self.refused.keys()) - there | dead:
            self.links.pop(gone, None)  # its thread finds out by itself
            self.refused.pop(gone, None)
        new = there - self.links.keys() - self.refused.keys()
        for address, found in (
            self.client.run(remote.fingerprint, workers=list(new), on_error="return").items() if new else ()
        ):
            if found == remote.fingerprint():
                self.links[address] = Link(self, address)
                self.links[address].start()
            else:
                self.refused[address] = _why_not(found)
                _LOG.warning("%s is refused: %s", address, self.refused[address])
        self.store.note_cluster(len(self.links), sorted(set(self.refused.values())))

    def _lose(self, *why: str) -> None:
        self.links, self.refused = {}, {}
        self.store.note_cluster(0, why)
        client, self.client = self.client, None
        if client is not None:
            with suppress(Exception):
                client.close(timeout=1)


def _why_not(found: Any) -> str:
    if isinstance(found, ModuleNotFoundError):
        return "a worker has no Glassformer, or lacks a package"
    if isinstance(found, Exception):
        return f"a worker does not answer ({type(found).__name__})"
    return "a worker has another version of Glassformer, of Python or of torch"


class Link(threading.Thread):
    """What is done at home for one worker: a run at a time, from the claim to the end."""

    def __init__(self, home: Home, address: str) -> None:
        super().__init__(name=f"link {address}", daemon=True)
        self.home, self.address = home, address
        self.client, self.store = home.client, home.store
        self._claimed: tuple[str, int] | None = None
        self._due = threading.Event()
        self._pool = ThreadPoolExecutor(1, f"line {address}")
        self._next_checkpoint = 0.0  # when there is time for one

    @property
    def is_free(self) -> bool:
        return self._claimed is None

    def carry(self, run_id: str, attempt: int) -> None:
        """Take this run."""
        self._claimed = run_id, attempt
        self._due.set()

    def run(self) -> None:
        self._wait_until_free()
        while self.home.links.get(self.address) is self and not self.home.ending.is_set():
            if not self._due.wait(LOOK_SECONDS):
                continue
            run_id, attempt = self._claimed or ("", 0)
            try:
                self._carry(run_id, attempt)
            except Superseded:
                pass
            except Exception as error:
                _LOG.warning("run %s lost its worker %s and goes back in line: %s", run_id, self.address, error)
                self.store.put_back(run_id, attempt)
            self._wait_until_free()
            self._due.clear()
            self._claimed = None
        self._pool.shutdown(wait=False)

    def _carry(self, run_id: str, attempt: int) -> None:
        """Send the run, and look into its mailbox until it is over. Raises whatever a lost worker makes raise."""
        info = self.store.begin(run_id, attempt, os.getpid())
        keeper = Keeper(self.store, run_id, attempt, info.seconds, self.home.ending.is_set)
        key = f"{run_id}-{attempt}"
        task = remote.Task(
            key,
            remote.fingerprint(),
            info.recipe,
            info.seed,
            _own_text(info.recipe),
            keeper.kept_files(),
            info.until,
            info.watch,
        )
        future = self.client.submit(
            remote.train, task, key=key, workers=[self.address], allow_other_workers=False, pure=False
        )
        _LOG.info("run %s attempt %d: worker %s", run_id, attempt, self.address)
        asked_since = 0.0
        try:
            while not future.done():
                asked = keeper.should_stop()
                keeper.take(self._look_in(keeper, key, asked))
                asked_since = 0.0 if asked is None else asked_since or time.monotonic()
                if asked_since and time.monotonic() - asked_since > DEAF_SECONDS:
                    raise TimeoutError("it does not stop")
                time.sleep(FLUSH_SECONDS * max(1.0, len(self.home.links) / MANY))
            outcome, message, letters = self._meanwhile(keeper, future.result)
            keeper.take(letters)
        except (JobRefused, NotKept) as error:
            outcome, message = "failed", str(error)
        finally:
            future.release()
        step = None if outcome == "failed" else keeper.step
        self.store.leave(run_id, attempt, STATE_AFTER.get(outcome, "failed"), message, step=step)

    def _look_in(self, keeper: "Keeper", key: str, asked: Asked | None) -> list[remote.Letter]:
        """What the mailbox holds."""
        began = time.monotonic()
        has_time = began >= self._next_checkpoint
        letters = self._meanwhile(keeper, lambda: self._call(remote.collect, key, asked, keeper.n_known, has_time))
        if any(letter.what == "keep" for letter in letters):
            now = time.monotonic()
            self._next_checkpoint = now + CHECKPOINT_PAUSE * (now - began)
        return letters

    def _meanwhile(self, keeper: "Keeper", call: Callable[[], T]) -> T:
        """What a call gives; over a slow line that may take a while, in which the run counts as alive."""
        coming, began = self._pool.submit(call), time.monotonic()
        while not wait([coming], timeout=1.0).done:
            keeper.take([])
            if time.monotonic() - began > PATIENCE_SECONDS:
                raise TimeoutError("it does not answer")
        return coming.result()

    def _call(self, do: Any, *given: Any) -> Any:
        """Let the worker do something beside its job. Raises what it raises, and OSError where it is gone."""
        return self.client.run(do, *given, workers=[self.address])[self.address]

    def _wait_until_free(self) -> None:
        """A job that was given up, by this link or one before it, may still run there; it is asked to end."""
        while self.home.links.get(self.address) is self and not self.home.ending.is_set():
            with suppress(Exception):
                if not (keys := self._call(remote.busy_with)):
                    return
                for key in keys:
                    self._call(remote.collect, key, "yield", 0, False)
            time.sleep(LOOK_AROUND_SECONDS)


class NotKept(Exception):
    """What came could not be written at home; the message says why in plain words."""


class Keeper(StoreReporter):
    """Puts into the store what a job far away tells, each letter once and in order."""

    n_known = 0

    def take(self, letters: list[remote.Letter]) -> None:
        """New letters, or none: that shows that the worker lives. Raises Superseded and NotKept."""
        try:
            for letter in letters:
                if letter.n > self.n_known:
                    getattr(self, letter.what)(*letter.given)
                    self.n_known = letter.n
            self.flush()
        except (OSError, sqlite3.Error) as error:
            raise NotKept(explain(error)) from error

    def keep(self, files: dict[str, bytes]) -> None:
        """A checkpoint: what the run goes on from comes first, so that it is never older than what is shown of it."""
        folder = self._store.folder(self._run_id)
        folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(files, key=lambda name: name != "run.safetensors"):
            write_atomic(folder / Path(name).name, files[name])
        self.checkpointed()

    def log(self, text: str) -> None:
        with self._store.log_path(self._run_id).open("a", encoding="utf-8") as file:
            file.write(text)

    def kept_files(self) -> dict[str, bytes]:
        """The checkpoint from which the run goes on; nothing for a new one."""
        folder = self._store.folder(self._run_id)
        return {path.name: path.read_bytes() for path in folder.glob("[!.]*") if path.is_file()}


def _own_text(recipe: dict[str, Any]) -> str | None:
    """A text that only this machine has. Raises core.data.corpora.CorpusRefused: it has it no more."""
    name = recipe.get("corpus")
    return None if name is None or name in corpora.names() or name.startswith(PREFIX) else corpora.load(name).text
