"""The part of a job that runs on a worker of the cluster: a thread, and a mailbox that the client polls.

The client calls these functions on the worker itself (`Client.run`). None of them is a task of the scheduler, so the
scheduler never has to read a job and doesn't need Glassformer.
"""

import hashlib
import platform
import shutil
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from core.data.files import write_atomic
from core.data.localization.labels import module_labels
from core.jobs.reporter import JobReporter, JobRequest
from core.jobs.runs import JobSpec
from core.jobs.worker import JobRefused, describe_run_fault, run_job
from core.train.curve_point import CurvePoint
from core.train.malloc_settings import keep_freed_memory

LABELS = module_labels(__name__)

# A job that the client hasn't polled for this long ends, as the client is gone. Longer than the client's own timeout.
LEASE_SECONDS = 90.0
_CORE = Path(__file__).resolve().parents[2]


class JobMessage(NamedTuple):
    """One message of a job: a method of its reporter on the client's side, and the arguments."""

    n: int
    what: str
    given: tuple[object, ...]


@dataclass(frozen=True)
class RemoteJob:
    """The description of a remote job, as plain data."""

    key: str  # of this attempt at the run
    fingerprint: str  # of the client's program
    recipe: dict[str, Any]
    seed: int
    text: str | None  # the training text, if the worker may lack it; None: a text that ships with the program
    files: Mapping[str, bytes]  # of the checkpoint from which it continues
    until: int | None = None  # see `core.jobs.runs.JobSpec`
    watch: str = ""  # the tensors stored with its frames; later changes don't reach it


class _JobSpool(JobReporter):
    """A reporter that holds a job's messages until the client has received them."""

    def __init__(self, folder: Path, watch: str = "") -> None:
        self.folder, self._watch = folder, watch
        self.is_over = False
        self._lock = threading.Lock()
        self._letters: list[JobMessage] = []
        self._files: dict[str, bytes] | None = None  # of the newest checkpoint, until it is sent
        self._n = 0
        self._asked: JobRequest | None = None
        self._heard = time.monotonic()

    def begin(self, step: int, tokens_per_step: int) -> None:
        self._put("begin", step, tokens_per_step)

    def points(self, points: Sequence[CurvePoint]) -> None:
        if points:
            self._put("points", list(points))

    def frame(self, step: int, data: bytes, sample: str) -> None:
        self._put("frame", step, data, sample)

    def watched(self, step: int, data: bytes) -> None:
        self._put("watched", step, data)

    def to_watch(self) -> str:
        return self._watch

    def record(self, step: int, data: bytes) -> None:
        self._put("record", step, data, replaces=True)

    def checkpointed(self) -> None:
        files = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        with self._lock:
            self._files = files

    def log(self, text: str) -> None:
        """Send text for the run's log on the client's side."""
        self._put("log", text)

    def end(self, outcome: str, message: str) -> None:
        """Add the last messages: the last checkpoint, the outcome of the job, and the reason if it failed."""
        self.is_over = True
        self.collect(self._asked, 0)
        self._put("end", outcome, message)

    def should_stop(self) -> JobRequest | None:
        """Return the client's request, or "yield" if the client hasn't polled for too long."""
        return "yield" if time.monotonic() - self._heard > LEASE_SECONDS else self._asked

    def collect(self, asked: JobRequest | None, n_known: int, has_time: bool = True) -> list[JobMessage]:
        """Take the client's request and return the messages after `n_known`; a checkpoint only if `has_time`."""
        with self._lock:
            self._asked, self._heard = asked, time.monotonic()
            if has_time and self._files is not None:
                self._n += 1
                self._letters.append(JobMessage(self._n, "keep", (self._files,)))
                self._files = None
            self._letters = [one for one in self._letters if one.n > n_known]
            return list(self._letters)

    def _put(self, what: str, *given: object, replaces: bool = False) -> None:
        with self._lock:
            if replaces:  # a complete record makes earlier ones obsolete
                self._letters = [one for one in self._letters if one.what != what]
            self._n += 1
            self._letters.append(JobMessage(self._n, what, given))


_BOXES: dict[str, _JobSpool] = {}  # of the jobs of this process


def start_job_thread(task: RemoteJob) -> None:
    """Begin the job in its own thread.

    Raises JobRefused: if this program isn't the same as the client's.
    """
    _check(task)
    for key in [key for key, box in _BOXES.items() if box.is_over]:
        del _BOXES[key]  # of a job that the client gave up
    box = _BOXES[task.key] = _JobSpool(Path(tempfile.mkdtemp(prefix="glassformer-")), task.watch)
    threading.Thread(target=_train, args=(task, box), name=f"run {task.key}", daemon=True).start()


def _check(task: RemoteJob) -> None:
    if task.fingerprint != program_fingerprint():
        raise JobRefused(LABELS["other_version"])


def _train(task: RemoteJob, box: _JobSpool) -> None:
    """Run the job from its checkpoint to its last message, which reports the outcome, and the reason if it failed.

    The outcome "unable" means that this machine lacks a module, which is not the run's fault; "diverged", that the run
    failed because its loss became infinite or not a number.
    """
    outcome, message = "failed", ""
    try:
        keep_freed_memory()
        for name, content in task.files.items():
            write_atomic(box.folder / name, content)
        outcome = run_job(JobSpec(task.recipe, task.seed, box.folder, text=task.text, until=task.until), box)
    except ImportError as error:
        outcome, message = "unable", error.name or ""
    except Exception as error:
        outcome, message = describe_run_fault(error)
        box.log(f"{message}\n{traceback.format_exc()}")
    finally:
        shutil.rmtree(box.folder, ignore_errors=True)
        box.end(outcome, message)


def collect_messages(key: str, asked: JobRequest | None, n_known: int, has_time: bool) -> list[JobMessage]:
    """Return the messages of a job's mailbox after `n_known`. Raises LookupError if there is no such job."""
    return _BOXES[key].collect(asked, n_known, has_time)


def running_job_keys() -> list[str]:
    """Return the keys of the jobs that run in this process."""
    return [key for key, box in _BOXES.items() if not box.is_over]


@cache
def program_fingerprint() -> str:
    """Return a hash of the program, Python's version and torch's; with equal ones, machines compute the same."""
    made = hashlib.sha256(f"{platform.python_version()} {version('torch')}".encode())
    for path in sorted(_CORE.rglob("*.py")):
        made.update(path.relative_to(_CORE).as_posix().encode() + b"\0" + path.read_bytes())
    return made.hexdigest()[:16]
