"""Runs on a real cluster: a scheduler and four worker processes on this machine, and whatever may happen to them."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from core.data import corpora
from core.jobs.cluster.cluster_client import PROGRAM, ClusterClient, _scheduler_command
from core.jobs.store import RunStore
from core.jobs.supervisor_launcher import REPOSITORY, SupervisorHandle
from core.jobs.sweeps.sweep_store import SweepStore, sweep_state
from core.train.curve_point import CurvePoint
from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainRun
from tests.library.learning.test_jobs import PATIENCE, reaches, until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")]
SEED = 7


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def dask(*command: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Dask's console script as README types it, in a folder that holds no Glassformer."""
    folder.mkdir(parents=True, exist_ok=True)
    script = Path(sys.executable).with_name("dask")
    return subprocess.Popen([str(script), *command], cwd=folder, env=as_typed())


def as_typed(**environment: str) -> dict[str, str]:
    """Return the environment of a person who types a command, without a path to our modules."""
    return {name: one for name, one in os.environ.items() if name != "PYTHONPATH"} | environment


@dataclass
class Lab:
    """A scheduler, the program that keeps the workers of a machine, and the app's supervisor."""

    folder: Path
    address: str
    scheduler: Any = None
    workers: Any = None
    app: SupervisorHandle | None = None

    def start_scheduler(self) -> None:
        _, *command = _scheduler_command(self.address).split()
        self.scheduler = dask(*command, folder=self.folder.parent / "of the scheduler")

    def start_workers(self, n: int, **environment: str) -> None:
        command = [sys.executable, "-m", "core.jobs.cluster", self.address, "--workers", str(n)]
        self.workers = subprocess.Popen(command, cwd=REPOSITORY, env=as_typed(**environment))

    def start_app(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GLASSFORMER_CLUSTER", self.address)
            patch.setenv("GLASSFORMER_SLOTS", "1")
            patch.setenv("GLASSFORMER_NICE", "0")
            self.app = SupervisorHandle(self.folder)

    @property
    def store(self) -> RunStore:
        return RunStore(self.folder)

    def ready(self, n: int) -> None:
        until(lambda: self.store.cluster().get("n_slot") == n, seconds=180)

    def end(self) -> None:
        if self.app:
            self.app.stop()
        for one in (self.workers, self.scheduler):
            if one is not None:
                kill_all(one.pid)
                one.wait()


def kill_all(pid: int) -> None:
    """A process and all that it has started."""
    import psutil

    for one in (*psutil.Process(pid).children(recursive=True), psutil.Process(pid)):
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue


def keeper(pid: int) -> list[int]:
    """The process of a machine that starts the workers; none while it is started again."""
    import psutil

    return [one.pid for one in psutil.Process(pid).children()]


def trainers(pid: int) -> list[int]:
    """The processes of a machine that train."""
    import psutil

    try:
        return [one.pid for parent in keeper(pid) for one in psutil.Process(parent).children()]
    except psutil.NoSuchProcess:  # it was killed a moment ago
        return []


def trained_by(folder: Path, run_id: str) -> str:
    """Return the worker to which the supervisor assigned a run of this folder, according to its log."""
    log = (folder / "supervisor.log").read_text()
    return re.findall(rf"run {run_id}\S*(?: attempt \d+)?: worker (\S+)", log)[-1]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path / "runs", f"tcp://127.0.0.1:{free_port()}")
    made.start_scheduler()
    yield made
    made.end()


def small(n_step: int) -> Recipe:
    recipe = RECIPES["bottle-and-cup"]
    return replace(recipe, n_step=n_step, n_warmup=min(recipe.n_warmup, n_step))


def quiet(recipe: Recipe, seed: int = SEED) -> list[CurvePoint]:
    """The curve of a run in this process that nothing disturbs."""
    return TrainRun(recipe, seed, device="cpu").advance()


def test_a_scheduler_that_cannot_import_glassformer_gives_runs_to_workers(lab: Lab) -> None:
    """So it must never need to read a job (fault 21); `tests/repo/readme/test_cluster.py` types the commands."""
    lab.start_workers(2)
    lab.start_app()
    lab.ready(2)
    ids = [lab.store.create(f"owner {n}", small(20).to_dict(), SEED) for n in range(3)]
    for run_id in ids:
        assert reaches(lab.store, run_id, "finished").message == ""
        assert trained_by(lab.folder, run_id).startswith("tcp://")
    assert lab.store.points(ids[0]) == quiet(small(20))


def test_each_look_sees_the_worker(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer of Dask's replaces what `Client.scheduler_info` is about to return by an answer without workers.

    On a busy machine that happened now and then, and a run left its healthy worker. Here it happens at each look.
    """
    lab.start_workers(1)
    home = ClusterClient(lab.store, lab.address, threading.Event())
    home.client = client = Client(lab.address, timeout=PATIENCE, set_as_default=False)
    try:
        client.wait_for_workers(1)
        sync = client.sync

        def sync_and_timer(*do: Any, **how: Any) -> Any:
            answer = sync(*do, **how)
            sync(client._update_scheduler_info)
            return answer

        monkeypatch.setattr(client, "sync", sync_and_timer)
        assert len(home._workers()) == 1
    finally:
        monkeypatch.undo()
        client.close(timeout=1)


@pytest.mark.full
def test_the_run_of_the_only_worker_goes_back_to_it(lab: Lab) -> None:
    """While it is restarted, the run continues on the app's machine, if that takes long enough."""
    lab.start_workers(1)
    lab.start_app()
    lab.ready(1)
    run_id = lab.store.create("ann", small(20_000).to_dict(), SEED)
    reaches(lab.store, run_id, "running", step=30)
    (pid,) = trainers(lab.workers.pid)
    os.kill(pid, signal.SIGKILL)
    until(lambda: lab.store.cluster()["n_slot"] == 0)
    lab.ready(1)
    until(lambda: lab.store.running() and trained_by(lab.folder, run_id).startswith("tcp://"))
    step = lab.store.get(run_id).step
    reaches(lab.store, run_id, "running", step=step + 50)
    assert trained_by(lab.folder, run_id).startswith("tcp://")
    lab.store.request(run_id, "ann", "stop")
    stopped = reaches(lab.store, run_id, "stopped")
    alone = TrainRun(small(20_000), SEED, device="cpu").advance(steps=stopped.step)
    assert lab.store.points(run_id) == alone


@pytest.mark.full
@pytest.mark.timeout(3600)  # on a busy machine a step takes a second
def test_killed_processes_of_a_machine_are_restarted(lab: Lab) -> None:
    lab.start_workers(2)
    lab.start_app()
    lab.ready(2)
    ids = [lab.store.create(f"owner {n}", small(2000).to_dict(), SEED) for n in range(2)]
    for run_id in ids:
        reaches(lab.store, run_id, "running", step=30)
    for kill in (lambda: trainers(lab.workers.pid)[:1], lambda: trainers(lab.workers.pid),
                 lambda: keeper(lab.workers.pid)):  # fmt: skip
        for pid in (pids := kill()):
            os.kill(pid, signal.SIGKILL)
        until(lambda pids=pids: not set(pids) & {*trainers(lab.workers.pid), *keeper(lab.workers.pid)})
        until(lambda: len(trainers(lab.workers.pid)) == 2)  # the page may not even notice: they are back in a second
        lab.ready(2)
        for run_id in ids:  # each gets to a checkpoint: three losses before one would be the run's own failure
            step = lab.store.get(run_id).step
            reaches(lab.store, run_id, "running", "finished", step=min(2000, step + 200), seconds=900)
    for run_id in ids:
        reaches(lab.store, run_id, "finished", seconds=1800)
        assert lab.store.points(run_id) == quiet(small(2000))


@pytest.mark.full
def test_a_broken_cluster_is_reported_with_a_command_and_the_run_ends_locally(tmp_path: Path) -> None:
    """First there is no scheduler, then no worker, then one that can't import Glassformer, and at last a right one."""
    lab = Lab(tmp_path / "runs", f"tcp://127.0.0.1:{free_port()}")
    stranger = None

    def check(said: str) -> None:
        until(lambda: said in "".join(lab.store.cluster().get("refused", [])), seconds=180)
        run_id = lab.store.create("ann", small(5).to_dict(), SEED)
        reaches(lab.store, run_id, "finished")
        assert trained_by(lab.folder, run_id).isdecimal(), "a process of this machine"

    try:
        lab.start_app()
        check(f"`{_scheduler_command(lab.address)}`")
        lab.start_scheduler()
        check(f"no workers. Start some, in Glassformer's folder on each machine: `{PROGRAM} {lab.address}`")
        stranger = dask("worker", lab.address, "--nthreads", "1", "--no-dashboard", folder=tmp_path / "elsewhere")
        check("can't import Glassformer")
        lab.start_workers(1)
        lab.ready(1)
        run_id = lab.store.create("ann", small(5).to_dict(), SEED)
        reaches(lab.store, run_id, "finished")
        assert trained_by(lab.folder, run_id).startswith("tcp://")
    finally:
        if stranger is not None:
            kill_all(stranger.pid)
            stranger.wait()
        lab.end()


@pytest.mark.full
def test_sixty_runs_are_each_bit_for_bit_the_run_at_home(lab: Lab) -> None:
    lab.start_workers(4)
    lab.start_app()
    lab.ready(4)
    recipe, store = small(30), lab.store
    ids = [store.create(f"owner {n}", recipe.to_dict(), n % 3) for n in range(60)]
    at_home = [quiet(recipe, seed) for seed in range(3)]
    for n, run_id in enumerate(ids):
        reaches(store, run_id, "finished", seconds=240)
        assert store.points(run_id) == at_home[n % 3]
        assert store.n_frame(run_id) > 5
    weights = {(n % 3, (store.folder(run_id) / "model.safetensors").read_bytes()) for n, run_id in enumerate(ids)}
    assert len(weights) == 3


@pytest.mark.full
def test_pause_resume_stop_and_what_is_seen_meanwhile(lab: Lab) -> None:
    lab.start_workers(1)
    lab.start_app()
    lab.ready(1)
    store, recipe = lab.store, small(3000)
    run_id = store.create("ann", recipe.to_dict(), SEED)
    reaches(store, run_id, "running", step=20)
    seen = len(store.points(run_id))
    until(lambda: len(store.points(run_id)) > seen, seconds=3)
    store.request(run_id, "ann", "pause")
    paused = reaches(store, run_id, "paused")
    assert paused.step == store.points(run_id)[-1].step and store.latest_frame(run_id)
    store.request(run_id, "ann", "resume")
    reaches(store, run_id, "running", step=paused.step + 20)
    store.request(run_id, "ann", "stop")
    stopped = reaches(store, run_id, "stopped")
    assert store.points(run_id) == quiet(recipe)[: stopped.step]


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_a_worker_the_scheduler_and_the_app_are_killed(lab: Lab) -> None:
    """Nothing is lost beyond the last checkpoint, no run is made twice, and none is forgotten."""
    lab.start_workers(2)
    lab.start_app()
    lab.ready(2)
    store, recipe = lab.store, small(900)
    ids = [store.create(f"owner {n}", recipe.to_dict(), SEED) for n in range(3)]
    for run_id in ids[:2]:
        reaches(store, run_id, "running", step=60)

    until(lambda: (store.folder(ids[0]) / "run.safetensors").exists())
    for pid in trainers(lab.workers.pid):
        os.kill(pid, signal.SIGKILL)
    until(lambda: store.get(ids[0]).state != "running" or store.running()[0][1] > 1)
    reaches(store, ids[0], "running", step=120)

    lab.scheduler.kill()
    lab.scheduler.wait()
    until(lambda: store.cluster()["n_slot"] == 0)
    # Meanwhile the machine of the app goes on by itself.
    reaches(store, ids[0], "running", "finished", step=160)
    lab.start_scheduler()
    lab.ready(2)

    assert lab.app is not None
    os.kill(lab.app.pid, signal.SIGKILL)  # it comes back, as a server's does
    for run_id in ids:
        reaches(store, run_id, "finished")
    expected = quiet(recipe)
    for run_id in ids:
        assert store.points(run_id) == expected
    assert len({(store.folder(run_id) / "model.safetensors").read_bytes() for run_id in ids}) == 1
    assert not store.running()


@pytest.mark.full
def test_a_worker_with_another_version_is_refused_in_words(lab: Lab, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(REPOSITORY / "core", other / "core")
    with (other / "core" / "nn" / "masks.py").open("a") as file:
        file.write("# a later version\n")
    lab.workers = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", lab.address, "--nthreads", "1", "--no-dashboard"],
        cwd=other, env=os.environ | {"PYTHONPATH": str(other)},
    )  # fmt: skip
    lab.start_app()
    until(lambda: "another version" in "".join(lab.store.cluster().get("refused", [])), seconds=180)
    (said,) = lab.store.cluster()["refused"]
    assert said.startswith("a worker has another version of Glassformer, of Python or of torch. Put ")
    recipe = small(5)
    run_id = lab.store.create("ann", recipe.to_dict(), SEED)
    reaches(lab.store, run_id, "finished")  # at home
    assert lab.store.points(run_id) == quiet(recipe)


@pytest.mark.full
def test_ones_own_text_travels_with_the_run(lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "at home"))
    name = corpora.store_user_text("mine", "the cat sat on the mat and the dog sat on the log.\n" * 60)
    lab.start_workers(1, GLASSFORMER_DATA=str(tmp_path / "far away"))
    lab.start_app()
    lab.ready(1)
    recipe = replace(small(8), corpus=name)
    run_id = lab.store.create("ann", recipe.to_dict(), SEED)
    reaches(lab.store, run_id, "finished")
    assert lab.store.points(run_id) == quiet(recipe)


@pytest.mark.full
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0 or not shutil.which("tc"), reason="lays a slow line")
def test_a_slow_line_is_survived(tmp_path: Path) -> None:
    """64 kB a second each way: a checkpoint takes 20 s, and points come meanwhile."""

    def sh(text: str) -> None:
        for line in text.splitlines():
            subprocess.run(line.split(), check=True)

    lab = Lab(tmp_path / "runs", f"tcp://10.77.0.1:{free_port()}")
    slow = "root tbf rate 512kbit burst 16kbit latency 2000ms"
    try:
        sh(f"""ip netns add gf
               ip link add gf0 type veth peer name gf1
               ip link set gf1 netns gf
               ip addr add 10.77.0.1/24 dev gf0
               ip link set gf0 up
               ip netns exec gf ip addr add 10.77.0.2/24 dev gf1
               ip netns exec gf ip link set gf1 up
               ip netns exec gf ip link set lo up
               tc qdisc add dev gf0 {slow}
               ip netns exec gf tc qdisc add dev gf1 {slow}""")
        lab.start_scheduler()
        command = [
            "ip",
            "netns",
            "exec",
            "gf",
            sys.executable,
            "-m",
            "core.jobs.cluster",
            lab.address,
            "--workers",
            "1",
        ]
        lab.workers = subprocess.Popen(command, cwd=REPOSITORY)
        lab.start_app()
        lab.ready(1)
        recipe = small(700)
        run_id = lab.store.create("ann", recipe.to_dict(), SEED)
        reaches(lab.store, run_id, "finished")
        assert lab.store.points(run_id) == quiet(recipe)
    finally:
        lab.end()
        subprocess.run(["ip", "netns", "del", "gf"], check=False)


@pytest.mark.full
def test_a_job_that_is_not_polled_ends(lab: Lab) -> None:
    """An app that never returns leaves no worker busy for long."""
    lab.start_workers(1)
    lab.start_app()
    lab.ready(1)
    run_id = lab.store.create("ann", small(20_000).to_dict(), SEED)
    reaches(lab.store, run_id, "running", step=20)
    assert lab.app is not None
    lab.app.stop()
    lab.app = None
    assert lab.store.get(run_id).state == "queued", "a server that ends in peace puts its runs back in line"
    import psutil

    (trainer,) = trainers(lab.workers.pid)
    busy = psutil.Process(trainer)
    until(lambda: busy.cpu_percent(interval=1.0) < 30.0, seconds=60)


@pytest.mark.full
def test_a_sweep_takes_all_workers_but_one_and_ends_as_at_home_whatever_is_killed(lab: Lab) -> None:
    """Sweep over sixteen learning rates with a divisor of 2, while a worker and the supervisor are killed."""
    lab.start_workers(4)
    lab.start_app()
    lab.ready(4)
    sweeps, recipe = SweepStore(lab.folder), small(160)
    rates = [0.001 * 1.5**n for n in range(16)]
    given = [(replace(recipe, learning_rate=rate).to_dict(), SEED) for rate in rates]
    sweep_id = sweeps.begin_sweep("ann", "Rates", given, divisor=2, vocab_size=40, kind="rates", about={})

    def n_running() -> int:
        return sum(run.state == "running" for run in sweeps.runs_of(sweep_id))

    until(lambda: n_running() == 3, seconds=60)
    os.kill(trainers(lab.workers.pid)[0], signal.SIGKILL)
    most = 0

    def is_beyond_first_rung() -> bool:
        nonlocal most
        most = max(most, n_running())
        return any(run.until != 10 for run in sweeps.runs_of(sweep_id))

    until(is_beyond_first_rung, seconds=120)
    assert most == 3, "one is kept for whoever comes"
    assert lab.app is not None
    os.kill(lab.app.pid, signal.SIGKILL)
    until(lambda: sweep_state(sweeps.runs_of(sweep_id)) == "over", seconds=240)
    runs, levels = sweeps.runs_of(sweep_id), sweeps.sweep(sweep_id).rungs
    assert [steps for steps, _ in levels] == [10, 20, 40, 80, 160]
    alone = [quiet(replace(recipe, learning_rate=rate)) for rate in rates]
    left = list(range(16))
    for (steps, _), (_, n_next) in zip(levels, [*levels[1:], (0, 1)], strict=True):
        last = left
        left = sorted(left, key=lambda n, steps=steps: alone[n][steps - 1].val_loss)[:n_next]
    assert [n for n, run in enumerate(runs) if run.state == "finished"] == sorted(last)
    for n, run in enumerate(runs):
        assert sweeps.points(run.id) == alone[n][: run.step]
