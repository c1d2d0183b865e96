"""Messages of a remote job to the store, without a cluster: some are lost, and some are sent twice."""

import pickle
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.jobs.cluster import cluster_client, remote_worker
from core.jobs.cluster.cluster_client import ClusterClient, RemoteMessageRecorder, _WorkerLink
from core.jobs.cluster.remote_worker import _JobSpool
from core.jobs.runs import JobSpec, RunInfo
from core.jobs.store import RunStore
from core.jobs.supervisor import Supervisor
from tests.library.learning.fake_supervisor import count, examine, point
from tests.library.learning.test_jobs import until


@given(st.lists(st.sampled_from(["points", "record", "collect", "lost"]), max_size=40))
def test_every_point_arrives_once_and_in_order_whatever_is_lost(story: list[str]) -> None:
    box, known, told, heard, records = _JobSpool(Path()), 0, 0, list[int](), list[int]()
    for what in [*story, "collect"]:
        if what == "points":
            told += 1
            box.points([point(told, 1.0)])
        elif what == "record":
            box.record(told, b"")
        else:
            for letter in box.collect(None, known, has_time=what == "collect"):
                if what == "collect" and letter.n > known:  # else the answer is lost on its way
                    known = letter.n
                    heard += [one.step for one in letter.given[0]] if letter.what == "points" else []
                    records += [letter.given[0]] if letter.what == "record" else []
    assert heard == list(range(1, told + 1))
    assert records == sorted(records) and len(records) <= story.count("record")
    if "record" in story:
        assert records, "the newest record arrives"
    assert not box.collect(None, known)


def test_a_job_that_is_not_polled_yields(monkeypatch: pytest.MonkeyPatch) -> None:
    box = _JobSpool(Path())
    box.collect("pause", 0)
    assert box.should_stop() == "pause"
    monkeypatch.setattr(remote_worker, "LEASE_SECONDS", 0.01)
    time.sleep(0.02)
    assert box.should_stop() == "yield"


class Line:
    """A client whose worker is this process; `fault` is called before each answer."""

    def __init__(self, fault: Callable[[int], None]) -> None:
        self.n, self.fault = 0, fault

    def run(self, do: Any, *given: Any, workers: list[str]) -> dict[str, Any]:
        found = do(*given)
        self.n += 1
        self.fault(self.n)  # what the worker has given is lost
        return dict.fromkeys(workers, found)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    monkeypatch.setattr(remote_worker, "run_job", count)
    monkeypatch.setattr(remote_worker, "LEASE_SECONDS", 0.3)
    monkeypatch.setattr(cluster_client, "MEMBER_CHECK_SECONDS", 0.05)
    monkeypatch.setattr(cluster_client, "FLUSH_SECONDS", 0.02)
    return RunStore(tmp_path / "runs", examine)


@pytest.fixture
def carried(store: RunStore) -> Iterator[Callable[..., RunInfo]]:
    """Return `carried(on_line, **recipe)`, which returns a run's state after a link has carried it to its end."""
    ending = threading.Event()

    said: list[str] = []

    def carry(on_line: Callable[[int], None], **recipe: Any) -> RunInfo:
        run_id = store.create("ann", {"n_step": 60, "seconds": 0.005, **recipe}, 7)
        there = SimpleNamespace(links={}, ending=ending, client=Line(on_line), store=store, address="tcp://here:1")
        there.refuse = lambda link, why: (said.append(why), there.links.pop(link.address, None))
        link = there.links["w"] = _WorkerLink(there, "w")  # type: ignore[arg-type]
        link.start()
        until = time.monotonic() + 30
        while store.get(run_id).state in ("queued", "running") and time.monotonic() < until:
            if not link.is_alive():
                break
            if link.is_ready and link.is_free and (claimed := store.claim()):
                link.carry(*claimed)
            time.sleep(0.01)
        return store.get(run_id)

    carry.said = said  # type: ignore[attr-defined]
    yield carry
    ending.set()


def quiet(n_step: int, tmp_path: Path) -> list[float]:
    """The losses of the same job that nothing disturbs."""
    told: list[float] = []
    reporter = remote_worker._JobSpool(tmp_path)
    reporter.points = lambda points: told.extend(one.loss for one in points)  # type: ignore[method-assign]
    (tmp_path / "quiet").mkdir()
    count(JobSpec({"n_step": n_step, "seconds": 0.0}, 7, tmp_path / "quiet"), reporter)
    return told


@pytest.mark.parametrize("lost_at", [(), (3,), (4, 12), (2, 3, 9)])
def test_a_run_that_lost_its_worker_ends_with_the_same_curve(
    carried: Callable[..., RunInfo], store: RunStore, tmp_path: Path, lost_at: tuple[int, ...]
) -> None:
    def fault(n: int) -> None:
        if n in lost_at:
            raise OSError("the line is cut")

    run = carried(fault)
    assert run.state == "finished"
    assert [one.loss for one in store.points(run.id)] == quiet(60, tmp_path)
    assert [one.step for one in store.points(run.id)] == list(range(1, 61))
    assert store.n_frame(run.id) == 2


def test_a_jobs_fault_is_reported_and_its_traceback_is_in_the_clients_log(
    carried: Callable[..., RunInfo], store: RunStore
) -> None:
    run = carried(lambda _n: None, at=5, fault="diverge")
    assert (run.state, run.message) == ("failed", "The loss became infinite at step 3.") and run.has_diverged
    assert len(store.points(run.id)) == 4 and "Traceback" in store.log_path(run.id).read_text()
    run = carried(lambda _n: None, at=5, fault="")
    assert "secret" not in run.message and "secret" in store.log_path(run.id).read_text()


def test_a_full_disk_of_the_client_gets_a_clear_message(
    carried: Callable[..., RunInfo], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RemoteMessageRecorder, "keep", full)
    run = carried(lambda _n: None, n_step=10_000)  # it is full in the middle of the run
    assert run.step < 10_000
    assert run.state == "failed" and run.message.startswith("The disk is full")


def test_another_version_trains_nothing(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    task = remote_worker.RemoteJob("k", "another", {}, 0, None, {})
    with pytest.raises(remote_worker.JobRefused, match="another version"):
        remote_worker.start_job_thread(task)


FAULTS = [
    (ModuleNotFoundError("No module named 'core'", name="core"), "can't import Glassformer"),
    (ModuleNotFoundError("No module named 'tokenizers'", name="tokenizers"), "lacks the package tokenizers"),
    (ImportError("cannot import name"), "can't import Glassformer"),
    (AttributeError("Can't get attribute 'Task'"), "can't read a run"),
    (pickle.UnpicklingError("pickle data was truncated"), "can't read a run"),
    (TypeError("Task.__init__() got an unexpected keyword argument"), "can't read a run"),
    (RuntimeError("Error during deserialization of the task graph"), "can't read a run"),
    (EOFError(), "can't read a run"),
    (remote_worker.JobRefused("another version"), "another version"),
    (OSError("Timed out trying to connect"), "doesn't answer"),
]  # fmt: skip


CASES = [(where, *fault) for where in ("fingerprint", "start") for fault in FAULTS]
CASES += [("inside", *fault) for fault in FAULTS[:3]]  # an error of another kind is the run's own


@pytest.mark.parametrize(("where", "error", "said"), CASES, ids=lambda one: str(one)[:30])
def test_a_run_that_a_worker_cannot_read_is_never_the_runs_own_failure(
    carried: Callable[..., RunInfo],
    store: RunStore,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    error: Exception,
    said: str,
) -> None:
    """Whatever a worker is short of: the run waits, nothing counts against it, and the worker is refused in words."""

    def fail(*_: Any) -> None:
        raise error

    if where == "fingerprint":
        right, told = remote_worker.program_fingerprint(), iter([error])
        monkeypatch.setattr(remote_worker, "program_fingerprint", lambda: fail() if next(told, None) else right)
    else:
        monkeypatch.setattr(remote_worker, "start_job_thread" if where == "start" else "run_job", fail)
    run = carried(lambda _n: None)
    assert (run.state, run.message) == ("queued", "")
    assert said in carried.said[-1]  # type: ignore[attr-defined]
    with store._read() as db:
        assert db.execute("SELECT lost FROM runs").fetchone()[0] == 0


class Scheduler(Line):
    """A client of a scheduler that knows the workers `there`; each is this process."""

    status = "running"
    scheduler = SimpleNamespace(identity=None)

    def __init__(self, *there: str) -> None:
        super().__init__(lambda _: None)
        self.there = there

    def sync(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {"workers": dict.fromkeys(self.there)}

    def close(self, timeout: float) -> None:
        pass


@pytest.fixture
def at_home(store: RunStore) -> Iterator[ClusterClient]:
    """Make a client that is connected to a scheduler with one worker and checks it only on request."""
    made = ClusterClient(store, "tcp://here:1", threading.Event())
    made.client = Scheduler("w")
    yield made
    made.ending.set()


def test_as_many_runs_leave_this_machine_as_the_cluster_has_workers_free(at_home: ClusterClient) -> None:
    """A run whose worker was killed went on at home and never went back, though the worker did a second later."""
    alone = Supervisor(at_home.store, n_slot=3)
    ours = [SimpleNamespace(line=SimpleNamespace(n=0)) for _ in range(3)]
    for one in ours:
        one.line.close = lambda line=one.line: setattr(line, "n", line.n + 1)
    alone._workers = ours  # type: ignore[assignment]
    alone._hand_over()
    alone._cluster = at_home
    alone._hand_over()
    assert [one.line.n for one in ours] == [0, 0, 0] and at_home.n_free == 0
    until(lambda: at_home._look_around() or at_home.n_free == 1)
    alone._hand_over()
    assert [one.line.n for one in ours] == [1, 0, 0]
    at_home.links["w"]._claimed = ("a run", 1)
    alone._hand_over()
    assert [one.line.n for one in ours] == [1, 0, 0]


def test_a_link_that_was_replaced_has_no_say(at_home: ClusterClient) -> None:
    """The worker came back while the old link still waited for an answer, and lost its new run."""
    old, new = _WorkerLink(at_home, "w"), _WorkerLink(at_home, "w")
    at_home.links["w"] = new
    at_home.refuse(old, "it doesn't answer")
    assert at_home.links == {"w": new} and not at_home.refused
    at_home.refuse(new, "it doesn't answer")
    assert not at_home.links and at_home.refused["w"].why == "it doesn't answer"


def test_a_locked_store_costs_no_worker(at_home: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """All workers were given up, and the scheduler was said not to answer."""
    answers = iter([sqlite3.OperationalError("database is locked"), ("a run", 1)])
    carried: list[tuple[str, int]] = []

    def claim(_: int) -> tuple[str, int] | None:
        answer = next(answers, None)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(at_home.store, "claim", claim)
    monkeypatch.setattr(at_home, "_look_around", lambda: None)
    link = SimpleNamespace(is_ready=True, is_free=True, join=lambda _: None)
    link.carry = lambda *claimed: (carried.append(claimed), setattr(link, "is_free", False))
    at_home.links["w"] = link  # type: ignore[assignment]
    at_home.start()
    until(lambda: carried, seconds=30)
    assert carried == [("a run", 1)] and at_home.links == {"w": link}


def test_a_full_disk_ends_no_home(at_home: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: the cluster's status couldn't be stored once, and it was never checked again."""

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(at_home.store, "note_cluster", full)
    until(lambda: at_home._look_around() or at_home.is_connected)
    at_home._lose("no scheduler")


def test_without_the_setting_nothing_of_dask_is_imported_and_without_dask_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = "import sys, core.jobs.supervisor, core.jobs.worker; print('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], capture_output=True, text=True).stdout == "False\n"
    store = RunStore(tmp_path / "runs", examine)
    alone = Supervisor(store, n_slot=1)
    alone._join_cluster(threading.Event())
    assert alone._cluster is None and store.cluster() == {}
    monkeypatch.setenv("GLASSFORMER_CLUSTER", "tcp://127.0.0.1:1")
    monkeypatch.delitem(sys.modules, "core.jobs.cluster.cluster_client")
    monkeypatch.setitem(sys.modules, "distributed", None)
    alone._join_cluster(threading.Event())
    assert alone._cluster is None and "lacks a package (distributed)" in store.cluster()["refused"][0]
