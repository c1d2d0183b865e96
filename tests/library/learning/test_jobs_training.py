"""Real training in worker processes: a run's numbers equal an undisturbed one's bit for bit, whatever happens."""

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.jobs.reporter import JobReporter
from core.jobs.runs import JobSpec
from core.jobs.store import RunStore
from core.jobs.supervisor import start_supervisor
from core.jobs.supervisor_launcher import SupervisorHandle
from core.jobs.worker import run_job
from core.train import experiment
from core.train.curve_point import CurvePoint
from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainRun
from core.train.watch.behavior_snapshots import frame_steps
from tests.library.learning.test_jobs import reaches, until, worker_of

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="kills processes as POSIX does")]
SEED = 7


def small(n_step: int) -> Recipe:
    """A model of a few milliseconds a step."""
    recipe = RECIPES["bottle-and-cup"]
    return replace(recipe, n_step=n_step, n_warmup=min(recipe.n_warmup, n_step))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs") / "runs"


@pytest.fixture(scope="module")
def supervisor(folder: Path) -> Iterator[SupervisorHandle]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_SLOTS", "4")
        patch.setenv("GLASSFORMER_NICE", "0")  # or whoever else uses the machine decides how long this takes
        handle = start_supervisor(folder)
    yield handle
    handle.stop()


@pytest.fixture
def store(folder: Path) -> RunStore:
    return RunStore(folder)


def quiet(recipe: Recipe) -> list[CurvePoint]:
    """The curve of a run in this process that nothing disturbs."""
    run = TrainRun(recipe, SEED, device="cpu")
    return run.advance()


@pytest.mark.full
def test_four_runs_at_once_and_one_alone_are_equal_bit_for_bit(store: RunStore, supervisor: SupervisorHandle) -> None:
    recipe = small(60)
    ids = [store.create(f"owner {i}", recipe.to_dict(), SEED) for i in range(4)]
    for run_id in ids:
        reaches(store, run_id, "finished")
    alone = quiet(recipe)
    for run_id in ids:
        assert store.points(run_id) == alone
    assert len({(store.folder(run_id) / "model.safetensors").read_bytes() for run_id in ids}) == 1
    assert len({b"".join(store.frames(run_id)) for run_id in ids}) == 1
    assert store.n_frame(ids[0]) > 10


@pytest.mark.full
def test_worker_killed_and_supervisor_killed(store: RunStore, supervisor: SupervisorHandle, tmp_path: Path) -> None:
    recipe = small(500)
    run_id = store.create("ann", recipe.to_dict(), SEED)
    reaches(store, run_id, "running", step=60)
    store.request(run_id, "ann", "pause")
    checkpoint = reaches(store, run_id, "paused").step
    store.request(run_id, "ann", "resume")
    reaches(store, run_id, "running", step=checkpoint + 40)
    os.kill(worker_of(store, run_id), signal.SIGKILL)
    assert checkpoint < reaches(store, run_id, "failed").step < recipe.n_step
    store.request(run_id, "ann", "resume")
    worker = worker_of(store, run_id)
    time.sleep(0.3)
    os.kill(supervisor.pid, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    reaches(store, run_id, "finished")
    run = TrainRun(recipe, SEED, device="cpu")
    assert store.points(run_id) == run.advance()
    run.save(tmp_path)
    weights = [(folder / "model.safetensors").read_bytes() for folder in (store.folder(run_id), tmp_path)]
    assert weights[0] == weights[1]


class InMemory(JobReporter):
    """A reporter without a store, for a job in this thread that stops at step `until`."""

    def __init__(self, until: int) -> None:
        self.until, self.told, self.frames = until, [], []

    def begin(self, step: int, tokens_per_step: int) -> None:
        self.began = step

    def points(self, points: Sequence[Any]) -> None:
        self.told += points

    def frame(self, step: int, data: bytes, sample: str) -> None:
        self.frames.append(step)

    def should_stop(self) -> Any:
        return "pause" if self.told and self.told[-1].step >= self.until else None


def test_a_job_runs_anywhere_and_tells_its_whole_curve_again_when_resumed(tmp_path: Path) -> None:
    """Points reported just before a kill can be lost although their checkpoint was stored."""
    recipe = small(40)
    spec = JobSpec(recipe.to_dict(), SEED, tmp_path, "cpu")
    first, second = InMemory(until=20), InMemory(until=1000)
    assert run_job(spec, first) == "pause"
    assert run_job(spec, second) == "finished"
    assert second.began == first.told[-1].step < 40
    assert second.told == quiet(recipe)
    assert first.frames + second.frames == frame_steps(40)


def test_a_diverging_run_fails_in_plain_words(store: RunStore, supervisor: SupervisorHandle) -> None:
    # Each step multiplies every weight by about 1 - 10 x 10.
    recipe = replace(small(300), optimizer="adamw", learning_rate=10.0, weight_decay=10.0)
    run_id = store.create("ann", recipe.to_dict(), SEED)
    run = reaches(store, run_id, "failed", "finished")
    assert run.state == "failed" and "iverged" in run.message
    assert 0 < len(store.points(run_id)) < 300


@pytest.mark.full
def test_an_experiment_runs_to_its_end_and_equals_the_same_by_hand(
    store: RunStore, supervisor: SupervisorHandle
) -> None:
    run = store.create("ada", {"experiment": "contest", "options": {"n_step": 12}}, 7)
    until(lambda: store.get(run).state == "finished")
    info = store.get(run)
    assert (info.step, info.n_step, info.message) == (12, 12, "")
    record, about = experiment.unpack_record(store.record_path(run).read_bytes())
    assert about["options"] == {"task": "back", "back": 3, "n_step": 12}
    by_hand = experiment.make_experiment("contest", {"n_step": 12}, 7)
    while by_hand.step < 12:
        by_hand.advance()
    expected, _ = experiment.unpack_record(experiment.pack_record(by_hand, about))
    assert record.keys() == expected.keys()
    assert all(record[name].tobytes() == expected[name].tobytes() for name in record)


def test_an_experiment_is_told_on_the_way_and_can_be_stopped(store: RunStore, supervisor: SupervisorHandle) -> None:
    run = store.create("ada", {"experiment": "contest", "options": {"n_step": 1000}}, 0)
    until(lambda: store.record_path(run).exists() and store.get(run).step > 0)
    first = store.get(run).step
    until(lambda: store.get(run).step > first)
    store.request(run, "ada", "stop")
    until(lambda: store.get(run).state == "stopped")
    _, about = experiment.unpack_record(store.record_path(run).read_bytes())
    assert first < about["step"] == store.get(run).step < 1000
