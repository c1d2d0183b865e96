"""Cookies are free, so the line of runs goes round by address first: nobody is kept out by another's many cookies."""

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.jobs import admission
from core.jobs.admission import AdmittedRun
from core.jobs.queue import QueuedRun, next_run_to_start, queue_order
from core.jobs.runs import RunNotFound
from core.jobs.sweeps import sweep_store as sweeps_store
from core.jobs.sweeps.sweep_store import SweepStore

ADDRESSES = ("aaaaaa", "bbbbbb", "cccccc", "")


@given(
    st.lists(st.tuples(st.sampled_from(ADDRESSES), st.integers(0, 3), st.integers(0, 100)), min_size=1, max_size=30),
    st.dictionaries(st.sampled_from(ADDRESSES[:3]), st.integers(1, 3)),
    st.dictionaries(st.sampled_from(ADDRESSES[:3]), st.integers(0, 100)),
)
def test_no_address_is_passed_twice_by_another(
    asked: list[tuple[str, int, int]], busy: dict[str, int], released: dict[str, int]
) -> None:
    """Fails where many owners of one address each get a place before the only one of the next."""
    waiting = [QueuedRun(str(i), f"{mark}{n}", when, address=mark) for i, (mark, n, when) in enumerate(asked)]
    order = queue_order(waiting, busy, released)
    assert sorted(run.id for run in order) == sorted(run.id for run in waiting)
    assert queue_order(waiting[::-1], busy, released) == order
    groups = [run.address or run.owner for run in order]
    for group in set(groups):
        before = groups[: groups.index(group)]
        if not busy.get(group):
            assert all(before.count(other) <= 1 for other in set(before))
        mine = [run.owner for run in order if (run.address or run.owner) == group]
        assert len(set(mine[: len(set(mine))])) == len(set(mine)), "each owner of an address once, before one's second"


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 40))
def test_the_only_run_of_an_address_starts_next_whenever_it_comes(n_cookie: int, n_run: int, comes: int) -> None:
    """Slots are assigned repeatedly, and each use is recorded for both the address and the owner."""
    waiting = [
        QueuedRun(f"{c}-{r}", f"cookie{c}", float(r), address="aaaaaa") for c in range(n_cookie) for r in range(n_run)
    ]
    released: dict[str, float] = {}
    for turn in range(n_cookie * n_run + 1):
        now = 100.0 + turn
        if turn == min(comes, n_cookie * n_run - 1):
            waiting.append(QueuedRun("pupil", "pupil", now, address="bbbbbb"))
        run = next_run_to_start(waiting, {}, released)
        assert run is not None
        waiting.remove(run)
        released |= {run.owner: now + 0.5, run.address: now + 0.5}
        if run.id == "pupil":
            assert turn <= min(comes, n_cookie * n_run - 1) + 1
            return
    raise AssertionError("the pupil has never had a turn")


@pytest.fixture
def sender() -> list[str]:
    """The address mark of the current visitor."""
    return ["aaaaaa"]


@pytest.fixture
def store(tmp_path: Path, sender: list[str]) -> SweepStore:
    return SweepStore(tmp_path / "runs", examine=lambda _: AdmittedRun("a run", 10, 1), sender=lambda: sender[0])


def test_three_hundred_thrown_away_cookies_cost_the_next_pupil_one_place(
    store: SweepStore, sender: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails where the mark doesn't get from the page's store to the line (B10: the pupil was 303rd)."""
    monkeypatch.setattr(admission, "MAX_WAITING_OF_ADDRESS", 300)
    for cookie in range(300):
        store.create(f"cookie{cookie}", {}, 0)
    with pytest.raises(ValueError, match="300 runs from your network are waiting, and the limit is 300"):
        store.create("cookie300", {}, 0)
    sender[0] = "bbbbbb"
    pupil = store.create("pupil", {}, 0)
    assert store.queue_position(pupil) == 2
    first = store.claim()
    assert first is not None
    store.begin(*first, 1)
    assert store.queue_position(pupil) == 1


def test_the_disk_is_shared_between_addresses(store: SweepStore, sender: list[str]) -> None:
    run, attempt = store.create("ann", {}, 0), 1
    assert store.claim() == (run, attempt)
    store.set_record(run, attempt, 1, b"x")
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE runs SET n_byte = ?", (admission.QUOTA_BYTES_OF_ADDRESS,))
    with pytest.raises(ValueError, match="runs from your network fill 6000 MB"):
        store.create("ben", {}, 0)
    sender[0] = ""
    store.create("ben", {}, 0)


def begin_sweep(store: SweepStore, owner: str) -> str:
    recipe: dict[str, Any] = {}
    return store.begin_sweep(owner, "s", [(recipe, 0), (recipe, 1)], divisor=1, vocab_size=9, kind="k", about={})


@pytest.fixture
def _recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps_store, "check_recipe_cost", lambda *_: AdmittedRun("a run", 10, 1))
    monkeypatch.setattr("core.train.recipes.Recipe.from_dict", lambda _: type("R", (), {"eval_every": 5}))


@pytest.mark.usefixtures("_recipes")
def test_an_address_keeps_so_many_sweeps_and_they_stand_in_line_as_one(
    store: SweepStore, sender: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps_store, "check_address_quota", admission.check_address_quota)
    monkeypatch.setattr(admission, "MAX_SWEEPS_OF_ADDRESS", 3)
    for cookie in range(3):
        begin_sweep(store, f"cookie{cookie}")
    with pytest.raises(ValueError, match="3 sweeps from your network are kept"):
        begin_sweep(store, "cookie4")
    sender[0] = "bbbbbb"
    assert store.queue_position(store.create("pupil", {}, 0)) == 2


@pytest.mark.usefixtures("_recipes")
def test_what_visitors_leave_goes_after_half_a_year_and_ones_own_machine_keeps_all(
    store: SweepStore, sender: list[str]
) -> None:
    gone, waits = store.create("ann", {}, 0), store.create("ben", {}, 0)
    swept = begin_sweep(store, "ann")
    sender[0] = ""
    own = store.create("own", {}, 0)
    long_ago = time.time() - (admission.KEPT_DAYS + 1) * 24 * 3600
    with sqlite3.connect(store.path) as db:
        db.execute(
            "UPDATE runs SET queued = ?, ended = ?, state = 'finished' WHERE id != ?", (long_ago, long_ago, waits)
        )
        db.execute("UPDATE runs SET queued = ? WHERE id = ?", (long_ago, waits))
        db.execute("UPDATE sweeps SET created = ?", (long_ago,))
    store.tidy()
    assert store.get(own).state == "finished" and store.get(waits).state == "queued"
    with pytest.raises(RunNotFound):
        store.get(gone)
    with pytest.raises(RunNotFound):
        store.sweep(swept)
    assert store.runs_of(swept) == []
