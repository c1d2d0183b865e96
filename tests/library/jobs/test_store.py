"""The store of runs: states, requests, whose is what, and what a crash leaves behind."""

import math
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.jobs import admission
from core.jobs.admission import AdmittedRun
from core.jobs.database import RunReassigned
from core.jobs.reporter import StoreReporter
from core.jobs.runs import NAME_LENGTH, RequestRefused, RunNotFound, clean_display_name, next_run_state
from core.jobs.store import RunStore
from core.jobs.worker import describe_run_fault
from core.train.curve_point import CurvePoint
from core.train.recipes import RECIPES


def point(step: int, loss: float, val_loss: float | None = None) -> CurvePoint:
    return CurvePoint(step, loss, val_loss, 0.5, 0.001)


def examine(recipe: dict[str, Any]) -> AdmittedRun:
    if recipe.get("too_large"):
        raise ValueError("This model needs 12 GB, and 4 GB is the most.")
    return AdmittedRun(title="A small GPT", n_step=100, n_parameter=1234)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs", examine)


def start(store: RunStore, owner: str = "ann") -> tuple[str, int]:
    store.create(owner, {}, 0)
    claimed = store.claim()
    assert claimed is not None
    store.begin(*claimed, pid=1)
    return claimed


def at_once(work: Callable[[], None], n: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_new_run_waits_in_line(store: RunStore) -> None:
    first = store.create("ann", {"n_step": 100}, 7, name="mine")
    second = store.create("ben", {}, 8)
    run = store.get(first)
    assert (run.state, run.name, run.recipe, run.seed, run.n_step) == ("queued", "mine", {"n_step": 100}, 7, 100)
    assert run.active and store.get(second).name == "A small GPT"
    assert [run.id for run in store.list("ann")] == [first]
    assert (store.queue_position(first), store.queue_position(second)) == (1, 2)
    with pytest.raises(ValueError, match="needs 12 GB"):
        store.create("cyd", {"too_large": True}, 0)
    assert store.list("cyd") == []


def test_seeds_that_are_none_are_refused(store: RunStore) -> None:
    for seed in (-1, 2**31, 1.5, math.nan, math.inf, True, "7", None):
        with pytest.raises(ValueError, match="whole number"):
            store.create("ann", {}, seed)


def test_claims_are_fair_and_one_for_each_owner(store: RunStore) -> None:
    ann = [store.create("ann", {}, i) for i in range(3)]
    ben = store.create("ben", {}, 0)
    first, second = store.claim(), store.claim()
    assert first == (ann[0], 1) and second == (ben, 1)
    assert store.claim() is None, "both have a run going"
    assert store.leave(*first, "finished", step=100) == "finished"
    assert store.claim() == (ann[1], 1)


def test_a_run_is_claimed_once_however_many_ask(store: RunStore) -> None:
    n = 8
    for i in range(n):
        store.create(f"owner{i}", {}, 0)
    got: list[tuple[str, int]] = []

    def take() -> None:
        mine = RunStore(store.root, examine)
        while claimed := mine.claim():
            got.append(claimed)

    at_once(take, 4)
    assert len(got) == n == len({run_id for run_id, _ in got})


def test_points_come_back_bit_for_bit_and_are_overwritten_by_a_resumed_run(store: RunStore) -> None:
    claimed = start(store)
    loss = math.pi * 1e-7
    store.record(*claimed, [point(1, loss, None), point(2, math.e, 3.3)], 0.5, 1000.0)
    points = store.points(claimed[0])
    assert points[0] == (1, loss, None, 0.5, 0.001, None)
    store.record(*claimed, [point(2, 2.0)], 0.6, None)
    assert [p.loss for p in store.points(claimed[0], since_step=1)] == [2.0]
    run = store.get(claimed[0])
    assert (run.step, run.seconds, run.tokens_per_second) == (2, 0.6, 1000.0)


def test_points_beyond_the_checkpoint_go_when_a_run_pauses_there(store: RunStore) -> None:
    claimed = start(store)
    store.record(*claimed, [point(i, 1.0) for i in range(1, 9)], 0.5, None)
    store.request(claimed[0], "ann", "pause")
    assert store.leave(*claimed, "paused", step=5) == "paused"
    assert store.get(claimed[0]).step == 5 == len(store.points(claimed[0]))


def test_pause_resume_stop(store: RunStore) -> None:
    run_id, attempt = start(store)
    assert store.request(run_id, "ann", "pause").request == "pause"
    assert store.record(run_id, attempt, [], 0.0, None) == "pause"
    assert store.leave(run_id, attempt, "paused", step=3) == "paused"
    assert store.request(run_id, "ann", "pause").state == "paused", "asking twice is no mistake"
    assert store.request(run_id, "ann", "resume").state == "queued"
    assert store.claim() == (run_id, attempt + 1)
    store.request(run_id, "ann", "pause")
    store.request(run_id, "ann", "resume")
    attempt += 1
    assert store.leave(run_id, attempt, "paused", step=3) == "queued", "a pause taken back does not stick"
    assert store.claim() == (run_id, attempt + 1)
    store.request(run_id, "ann", "stop")
    assert store.leave(run_id, attempt + 1, "stopped", step=4) == "stopped"
    run = store.get(run_id)
    assert run.ended is not None and run.can_resume


def test_requests_change_the_state_of_a_run() -> None:
    for state, request, action, after in (
        ("queued", None, "pause", ("paused", None)), ("queued", None, "stop", ("stopped", None)),
        ("queued", None, "resume", ("queued", None)), ("running", "stop", "pause", ("running", "stop")),
        ("running", "pause", "stop", ("running", "stop")), ("running", "pause", "resume", ("running", None)),
        ("paused", None, "stop", ("stopped", None)), ("stopped", None, "pause", ("stopped", None)),
        ("failed", None, "resume", ("queued", None)), ("finished", None, "stop", ("finished", None)),
    ):  # fmt: skip
        assert next_run_state(state, request, action, complete=state == "finished") == after
    for state, request, action, words in (
        ("finished", None, "resume", "nothing left"), ("finished", None, "pause", "has finished"),
        ("failed", None, "pause", "has failed"), ("running", None, "explode", "not to 'explode'"),
        ("running", "stop", "resume", "being stopped right now"),
    ):  # fmt: skip
        with pytest.raises(RequestRefused, match=words):
            next_run_state(state, request, action, complete=state == "finished")
    with pytest.raises(RequestRefused, match="nothing left"):
        next_run_state("stopped", None, "resume", complete=True)


def test_only_the_owner_may_ask(store: RunStore) -> None:
    run_id = store.create("ann", {}, 0)
    for ask, *given in ((store.request, "stop"), (store.delete,), (store.rename, "x")):
        with pytest.raises(RunNotFound):
            ask(run_id, "ben", *given)
    assert store.get(run_id).state == "queued"


def test_ids_that_are_none(store: RunStore) -> None:
    for run_id in ("", "../../etc", "0" * 15, "0" * 16, "A" * 16, "..", "a/b", "\0", "é" * 16):
        places = [store.folder] if run_id != "0" * 16 else []
        for ask in (store.get, lambda one: store.request(one, "ann", "stop"), *places):
            with pytest.raises(RunNotFound):
                ask(run_id)
        assert store.points(run_id) == []


def test_a_worker_given_up_for_dead_can_write_nothing_more(store: RunStore) -> None:
    run_id, attempt = start(store)
    store.put_back(run_id, attempt)
    assert store.get(run_id).state == "queued"
    again = store.claim()
    assert again is not None and again[1] > attempt
    for write, *given in ((store.record, [point(1, 1.0)], 0.0, None), (store.add_frame, 1, b"x", ""),
                          (store.checkpointed,), (store.begin, 2)):  # fmt: skip
        with pytest.raises(RunReassigned):
            write(run_id, attempt, *given)
    assert store.leave(run_id, attempt, "finished") is None
    assert store.points(run_id) == [] and store.frames(run_id) == []
    assert store.get(run_id).state == "running"


def test_a_run_that_is_cut_off_again_and_again_fails(store: RunStore) -> None:
    run_id, attempt = start(store)
    for _ in range(2):
        store.put_back(run_id, attempt)
        claimed = store.claim()
        assert claimed is not None
        attempt = claimed[1]
    store.checkpointed(run_id, attempt)  # progress: the count begins anew
    for _ in range(3):
        store.put_back(run_id, attempt)
        claimed = store.claim()
        attempt = claimed[1] if claimed else 0
    run = store.get(run_id)
    assert run.state == "failed" and "cut off 3 times" in run.message


def test_a_deleted_run_is_gone_with_its_files(store: RunStore) -> None:
    run_id, attempt = start(store)
    store.record(run_id, attempt, [point(1, 1.0)], 0.0, None)
    store.add_frame(run_id, attempt, 1, b"frame", "a sample")
    store.delete(run_id, "ann")
    assert store.list("ann") == []
    assert store.record(run_id, attempt, [], 0.0, None) == "stop", "its worker is asked to stop first"
    store.leave(run_id, attempt, "stopped", step=1)
    store.tidy()
    assert not (store.root / run_id).exists() and store.points(run_id) == []
    with pytest.raises(RunNotFound):
        store.get(run_id)


def test_frames_come_in_order_of_steps(store: RunStore) -> None:
    claimed = start(store)
    for step in (100, 9, 1000):
        store.add_frame(*claimed, step, str(step).encode(), f"sample {step}")
    assert store.frames(claimed[0]) == [b"9", b"100", b"1000"]
    assert store.latest_frame(claimed[0]) == b"1000" and store.n_frame(claimed[0]) == 3
    assert store.get(claimed[0]).sample == "sample 1000"


def test_runs_of_a_person_are_limited(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(admission.MAX_WAITING):
        store.create("ann", {}, i)
    with pytest.raises(ValueError, match="20 runs waiting"):
        store.create("ann", {}, 0)
    store.create("ben", {}, 0)
    monkeypatch.setattr(admission, "QUOTA_BYTES", 1000)
    claimed = store.claim()
    assert claimed is not None
    store.add_frame(*claimed, 1, b"x" * 2000, "")
    store.checkpointed(*claimed)
    store.leave(*claimed, "finished", step=100)
    with pytest.raises(ValueError, match="Your runs fill"):
        store.create("ann", {}, 0)
    monkeypatch.setattr(admission, "FREE_FLOOR_BYTES", 2**60)
    with pytest.raises(ValueError, match="disk has only"):
        store.create("ben", {}, 0)


def test_names() -> None:
    for text, name in {
        "  two \n lines\t": "two lines", "": "fallback", "\u202e\u0000\ufeff": "fallback", "\ud800ok": "ok",
        "x" * 1000: "x" * NAME_LENGTH, "<b>bold</b>": "<b>bold</b>", "e\u0301": "é", "日本語 🙂": "日本語 🙂",
    }.items():  # fmt: skip
        assert clean_display_name(text, "fallback") == name


def test_a_store_of_a_newer_version_is_left_alone(store: RunStore) -> None:
    db = sqlite3.connect(store.path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(RuntimeError, match="newer Glassformer"):
        RunStore(store.root, examine)


def test_stores_opened_at_once_make_one_schema(tmp_path: Path) -> None:
    faults: list[Exception] = []

    def open_it() -> None:
        try:
            RunStore(tmp_path / "runs", examine).list("ann")
        except Exception as error:
            faults.append(error)

    at_once(open_it, 8)
    assert faults == []


def test_the_first_point_is_written_at_once_and_later_ones_in_batches(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("core.jobs.reporter.time.monotonic", lambda: now[0])
    run_id, attempt = start(store)
    reporter = StoreReporter(store, run_id, attempt, seconds=10.0, is_ending=lambda: False)
    reporter.begin(0, tokens_per_step=64)
    reporter.points([point(1, 4.0)])
    assert len(store.points(run_id)) == 1
    for step in range(2, 10):
        now[0] += 0.03
        reporter.points([point(step, 4.0)])
    assert len(store.points(run_id)) == 1
    now[0] += 0.02
    reporter.points([point(10, 4.0)])
    run = store.get(run_id)
    assert len(store.points(run_id)) == run.step == reporter.step == 10
    assert run.seconds == pytest.approx(10.26)
    assert run.tokens_per_second == pytest.approx(9 * 64 / 0.26)


def test_a_request_reaches_the_job_with_the_next_flush(store: RunStore) -> None:
    run_id, attempt = start(store)
    ending = [False]
    reporter = StoreReporter(store, run_id, attempt, 0.0, lambda: ending[0])
    reporter.begin(0, tokens_per_step=64)
    assert reporter.should_stop() is None
    store.request(run_id, "ann", "pause")
    reporter.flush()
    assert reporter.should_stop() == "pause"
    ending[0] = True
    assert reporter.should_stop() == "yield"


def test_faults_get_clear_messages() -> None:
    for error, words in (
        (MemoryError(), "wasn't enough memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 20 GiB"), "wasn't enough memory"),
        (OSError(28, "No space left on device"), "disk is full"),
        (sqlite3.OperationalError("database or disk is full"), "disk is full"),
        (KeyError("/home/ann/secret"), "Something went wrong in this run (id "),
    ):
        _, message = describe_run_fault(error)
        assert words in message and "secret" not in message


def test_experiments_and_recipes_are_listed_apart(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs")
    run = store.create("ada", {"experiment": "contest", "options": {}}, 0)
    other = store.create("ada", {"experiment": "cheating", "options": {}}, 0)
    assert store.list("ada") == []
    assert [one.id for one in store.list("ada", experiment="contest")] == [run]
    assert [one.id for one in store.list("ada", experiment="cheating")] == [other]
    assert store.list("eve", experiment="contest") == []


def test_an_untrainable_recipe_is_refused_before_it_is_queued(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs")
    for spec, words in (
        ({**RECIPES["stories"].to_dict(), "model": {"n_layer": 1_000_000}}, "n_layer"),
        ({"experiment": "alchemy", "options": {}}, "there is no experiment 'alchemy'"),
        ({"experiment": 7, "options": {}}, "there is no experiment 7"),
        ({"experiment": "contest", "options": {"n_step": 10**9}}, "a browser may ask for up to 1,000"),
        ({"experiment": "contest", "options": {"n_steps": 3}}, "has no input n_steps"),
        ({"experiment": "contest", "options": {"back": "three"}}, "is not a whole number"),
    ):
        with pytest.raises(ValueError, match=words):
            store.create("ada", spec, 0)
