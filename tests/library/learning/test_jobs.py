"""Runs as real processes: what is asked of them, what kills them, and that nothing is lost or left over.

Most tests use a job without a model (`fake_supervisor`), because what is tested is everything around it.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from core.jobs.operating_system import is_process_alive
from core.jobs.runs import RunInfo
from core.jobs.store import RunStore
from core.jobs.supervisor_launcher import REPOSITORY, SupervisorHandle
from tests.counts import IS_FULL, count, tally
from tests.library.learning.fake_supervisor import examine

FAKE = "tests.library.learning.fake_supervisor"
PATIENCE = 300.0  # seconds: a machine that others use, too, is no fault
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills processes as POSIX does")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    return RunStore(tmp_path_factory.mktemp("jobs") / "runs", examine)


@pytest.fixture(scope="module")
def supervisor(store: RunStore) -> Iterator[SupervisorHandle]:
    """For all tests: it comes back where one kills it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_SLOTS", "2")
        patch.setenv("GLASSFORMER_NICE", "0")  # or whoever else uses the machine decides how long this takes
        handle = SupervisorHandle(store.root, FAKE)
    yield handle
    handle.stop()


def until(what: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Waits for something to become true and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def reaches(store: RunStore, run_id: str, *states: str, step: int = 0, seconds: float = PATIENCE) -> RunInfo:
    run = until(lambda: (r := store.get(run_id)).state in states and r.step >= step and r, seconds)
    assert isinstance(run, RunInfo)
    return run


def worker_of(store: RunStore, run_id: str) -> int:
    pid = until(lambda: next((row[2] for row in store.running() if row[0] == run_id), None))
    assert isinstance(pid, int)
    return pid


def children(pid: int) -> list[int]:
    """All living descendants of a process, the fork server and its workers among them."""
    found, front = [], [pid]
    while front:
        listing = subprocess.run(["ps", "-o", "pid=", "--ppid", str(front.pop())], capture_output=True, text=True)
        new = [int(word) for word in listing.stdout.split()]
        found += new
        front += new
    return [pid for pid in found if is_process_alive(pid)]


def curve(store: RunStore, run_id: str) -> list[tuple[Any, ...]]:
    return [tuple(point) for point in store.points(run_id)]


def expected(store: RunStore, recipe: dict[str, Any], seed: int) -> list[tuple[Any, ...]]:
    """The curve of a run that nothing disturbs."""
    run_id = store.create("undisturbed", recipe, seed)
    reaches(store, run_id, "finished", seconds=PATIENCE + recipe["n_step"] / 20)
    return curve(store, run_id)


def test_from_the_click_to_the_end_and_pauses_change_nothing_in_the_curve(
    store: RunStore, supervisor: SupervisorHandle
) -> None:
    recipe = {"n_step": 100}
    run_id = store.create("ann", recipe, 5)
    for step in (10, 40):
        reaches(store, run_id, "running", step=step)
        store.request(run_id, "ann", "pause")
        assert step <= reaches(store, run_id, "paused").step < 100
        store.request(run_id, "ann", "resume")
    run = reaches(store, run_id, "finished")
    assert (run.step, store.frames(run_id)) == (100, [b"1", b"5"])
    assert run.sample == "sample 5" and run.seconds > 0.2 and run.n_byte > 0
    assert run.started is not None and run.ended is not None
    assert list(store.folder(run_id).iterdir())
    assert curve(store, run_id) == expected(store, recipe, 5)
    until(lambda: store.running() == [])


def test_stop_is_quick_and_leaves_a_checkpoint_and_a_deleted_run_is_gone(
    store: RunStore, supervisor: SupervisorHandle
) -> None:
    run_id = store.create("ann", {"n_step": 10_000}, 0)
    reaches(store, run_id, "running", step=10)
    pid = worker_of(store, run_id)
    asked = time.monotonic()
    store.request(run_id, "ann", "stop")
    run = reaches(store, run_id, "stopped")
    assert run.step < 10_000 and (time.monotonic() - asked < 2.0 or not IS_FULL)
    assert run.can_resume and list(store.folder(run_id).iterdir())
    until(lambda: not is_process_alive(pid))
    store.request(run_id, "ann", "resume")
    reaches(store, run_id, "running", step=run.step + 1)
    store.delete(run_id, "ann")
    assert run_id not in [one.id for one in store.list("ann")]
    until(lambda: not (store.root / run_id).exists() and store.running() == [])


def test_a_killed_worker_fails_in_plain_words_and_resumes_bit_for_bit(
    store: RunStore, supervisor: SupervisorHandle
) -> None:
    recipe = {"n_step": 120}
    neighbour = store.create("ben", recipe, 5)
    run_id = store.create("ann", recipe, 5)
    reaches(store, run_id, "running", step=70)
    os.kill(worker_of(store, run_id), signal.SIGKILL)
    run = reaches(store, run_id, "failed")
    assert "memory ran out" in run.message
    store.request(run_id, "ann", "resume")
    reaches(store, run_id, "finished")
    reaches(store, neighbour, "finished")
    assert curve(store, run_id) == curve(store, neighbour)


def test_a_fault_ends_one_run_in_plain_words(store: RunStore, supervisor: SupervisorHandle) -> None:
    faults = {
        "exit": "ended unexpectedly (code 3)",
        "segfault": "ended unexpectedly (signal 11)",
        "allocate": "enough memory",
        "torch": "enough memory",
        "diverge": "became infinite at step 3",
        "bug": "Something went wrong in this run (id ",
    }
    neighbour = store.create("ben", {"n_step": 40}, 0)
    ids = {fault: store.create(fault, {"n_step": 100, "at": 3, "fault": fault}, 0) for fault in faults}
    for fault, words in faults.items():
        run = reaches(store, ids[fault], "failed")
        assert words in run.message
        assert "secret" not in run.message and "Traceback" not in run.message
        if fault not in ("exit", "segfault"):
            assert len(store.points(run.id)) == 2, "the curve up to the fault is kept"
    log = store.log_path(ids["bug"]).read_text()
    assert store.get(ids["bug"]).message in log and "a secret of the code" in log
    reaches(store, neighbour, "finished")


@pytest.mark.full
def test_a_worker_that_does_not_listen_is_ended(store: RunStore, supervisor: SupervisorHandle) -> None:
    run_id = store.create("ann", {"n_step": 100, "at": 3, "fault": "hang"}, 0)
    pid = worker_of(store, run_id)
    reaches(store, run_id, "running", step=1)
    store.request(run_id, "ann", "stop")
    reaches(store, run_id, "stopped")
    until(lambda: not is_process_alive(pid))


@pytest.mark.full
def test_a_killed_supervisor_takes_everything_along_and_its_successor_goes_on(
    store: RunStore, supervisor: SupervisorHandle
) -> None:
    recipe = {"n_step": 120}
    run_id = store.create("ann", recipe, 5)
    hanging = store.create("ben", recipe | {"at": 3, "fault": "hang"}, 5)
    reaches(store, run_id, "running", step=20)
    reaches(store, hanging, "running", step=1)
    first = supervisor.pid
    family = children(first)
    assert {worker_of(store, run_id), worker_of(store, hanging)} < set(family)
    os.kill(first, signal.SIGKILL)
    until(lambda: not any(is_process_alive(pid) for pid in family))
    until(lambda: supervisor.pid != first)
    store.request(hanging, "ben", "stop")
    reaches(store, run_id, "finished")
    assert curve(store, run_id) == expected(store, recipe, 5)


@pytest.mark.full
def test_kills_at_random_moments_lose_nothing(store: RunStore, supervisor: SupervisorHandle) -> None:
    """Worker, supervisor or both, before, during and after checkpoints."""
    n_kill = count(5, 200)
    moments = random.Random(1)
    recipe = {"n_step": 40 * n_kill}
    run_id = store.create("ann", recipe, 5)

    def resume_if_failed() -> str:
        state = store.get(run_id).state
        if state == "failed":
            store.request(run_id, "ann", "resume")
        return state

    for _ in range(n_kill):
        until(lambda: resume_if_failed() == "finished" or any(is_process_alive(row[2]) for row in store.running()))
        time.sleep(moments.uniform(0.0, 0.8))
        workers = [row[2] for row in store.running() if row[2]]
        for pid in moments.choice([workers, [supervisor.pid], [*workers, supervisor.pid]]):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    until(lambda: resume_if_failed() == "finished", 60.0 + recipe["n_step"] / 20)
    assert curve(store, run_id) == expected(store, recipe, 5)
    tally("T11 workers and supervisors", kills=n_kill, lost_points=0, curves_equal_bit_for_bit=1)


@pytest.mark.full
def test_everything_ends_with_the_server_and_goes_on_with_the_next(tmp_path: Path) -> None:
    """The server is a process of its own here, and is killed without a chance to say goodbye."""
    store = RunStore(tmp_path / "runs", examine)
    server = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import pathlib, sys, time; from core.jobs.supervisor_launcher import SupervisorHandle\n"
            f"print(SupervisorHandle(pathlib.Path(sys.argv[1]), {FAKE!r}).pid, flush=True); time.sleep(1000)",
            str(store.root),
        ],
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
    )
    assert server.stdout is not None
    with server, server.stdout:
        supervisor = int(server.stdout.readline())
        recipe = {"n_step": 300}
        run_id = store.create("ann", recipe, 5)
        reaches(store, run_id, "running", step=50)
        family = [supervisor, *children(supervisor)]
        assert len(family) >= 3
        server.kill()
    until(lambda: not any(is_process_alive(pid) for pid in family))
    run = store.get(run_id)
    assert run.state == "queued" and 50 <= run.step < 300
    second = SupervisorHandle(store.root, FAKE)
    try:
        reaches(store, run_id, "finished")
        assert curve(store, run_id) == expected(store, recipe, 5)
    finally:
        second.stop()


def test_two_servers_on_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second supervisor stands by: the machine has one slot count, and a successor that takes over at once."""
    monkeypatch.setenv("GLASSFORMER_SLOTS", "2")
    store = RunStore(tmp_path / "runs", examine)
    first, second = (SupervisorHandle(store.root, FAKE) for _ in range(2))
    try:
        ids = [store.create(owner, {"n_step": 100}, 0) for owner in ("ann", "ben", "cyd", "dan")]
        busiest = 0
        while busiest < 2 or max(store.get(run_id).step for run_id in ids) < 40:
            busiest = max(busiest, len(store.running()))
            time.sleep(0.01)
        assert busiest == 2
        leader, heir = (first, second) if children(first.pid) else (second, first)
        assert not children(heir.pid)
        family = [leader.pid, *children(leader.pid)]
        leader.stop()
        until(lambda: not any(is_process_alive(pid) for pid in family))
        for run_id in ids:
            reaches(store, run_id, "finished")
    finally:
        first.stop()
        second.stop()
