"""T7, T8 and T10: many at once see only what is theirs, get what they would get alone, and may leave at any moment."""

import asyncio
import hashlib
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import load
from core.jobs.operating_system import is_process_alive
from core.jobs.store import RunStore
from core.train.recipes import RECIPES
from core.train.run import TrainRun
from tests.chromium import LONGEST_WAIT
from tests.counts import IS_FULL, count, tally
from tests.safety.conftest import Watched
from tests.safety.visitor import Visitor, owner_of, query, secret

pytestmark = pytest.mark.slow

# In seconds, of full counts only, which are taken on a machine that does nothing else.
REATTACH_SECONDS = 2.0
STOP_SECONDS = 10.0

N_CONTROL = 6  # that are recorded, there and back: a session makes three moves

SHORT = replace(RECIPES["bottle-and-cup"], n_step=20, n_warmup=5)
LONG = replace(RECIPES["bottle-and-cup"], n_step=20_000, n_warmup=5)


def token(number: int) -> str:
    """A word that nobody else would write."""
    return "zq" + hashlib.sha256(f"token {number}".encode()).hexdigest()[:14]


def until(what: Callable[[], Any]) -> Any:
    """Wait for something to become true, and return it."""
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


@pytest.fixture
def store(watched: Watched) -> RunStore:
    return RunStore(watched.data / "runs")


def actions(server: Watched, number: int, n_action: int) -> tuple[str, str]:
    """One visitor's way through the app: everything received, and which runs its studio showed."""
    rng, seen, studio = random.Random(number), [], ""
    own = token(number)
    for _ in range(max(1, n_action // 6)):
        for page in ("", "heads", "next_token", "studio"):
            link = {"text": f"Anna had a {own} and a ball", "seed": str(number), "corpus": own, "run": own}
            with Visitor(server.url, page, query(link), owner=secret(1000 + number)) as visitor:
                visitor.open()
                for widget in [one for one in visitor.widgets.values() if one.kind == "slider"][:1]:
                    visitor.send(widget, rng.choice((widget.proto.min, widget.proto.max)))
                for widget in [one for one in visitor.widgets.values() if one.kind == "text_area"][:1]:
                    visitor.send(widget, f"The {own} is mine")
                seen.append(visitor.text())
                studio = seen[-1] if page == "studio" else studio
    return "".join(seen), studio


@pytest.mark.full
@pytest.mark.timeout(3600)  # the full tier opens 6,720 pages
def test_nobody_sees_anything_of_another_and_all_get_what_they_would_get_alone(
    watched: Watched, store: RunStore, tmp_path: Path
) -> None:
    n_visitor, n_action = count(6, 60), count(8, 168)
    runs = [
        store.create(owner_of(secret(1000 + n)), SHORT.to_dict(), seed=n, name=f"run of {token(n)}")
        for n in range(n_visitor)
    ]
    with ThreadPoolExecutor(min(n_visitor, 16)) as pool:
        found = list(pool.map(lambda n: actions(watched, n, n_action), range(n_visitor)))
    for n, (received, studio) in enumerate(found):
        assert token(n) in received, f"visitor {n} was not told of the own words"
        assert f"run of {token(n)}" in studio, f"visitor {n} was not told of the own run: {studio[-3000:]!r}"
        others = [m for m in range(n_visitor) if m != n and token(m) in received]
        assert others == [], f"visitor {n} was told of {others}"
    for one in runs:
        until(lambda one=one: store.get(one).state == "finished")
    log = watched.log()
    assert not [n for n in range(n_visitor) if token(n) in log], "a visitor's words stand in the log"
    for path in (one for one in watched.data.rglob("*") if one.is_file()):
        held = [n for n in range(n_visitor) if token(n).encode() in path.read_bytes()]
        if not path.name.startswith("runs."):  # the store itself knows the names of all runs
            assert len(held) <= 1, f"{path.name} holds the words of {held}"
    n_alone = count(3, 60)
    for n in range(n_alone):
        alone = TrainRun(SHORT, n, device="cpu")
        points = alone.advance()
        alone.save(tmp_path / str(n))
        assert store.points(runs[n]) == points
        assert (store.folder(runs[n]) / "model.safetensors").read_bytes() == (
            tmp_path / str(n) / "model.safetensors"
        ).read_bytes()
    tally(
        "T7",
        visitors=n_visitor,
        pages=n_visitor * max(1, n_action // 6) * 4,
        seen_of_others=0,
        runs_equal_alone=n_alone,
    )


@pytest.fixture
def left_by_none(store: RunStore) -> Iterator[None]:
    """No training goes on afterwards: the next test would wait for its turn."""
    yield
    for run in store.of_group(""):
        store.delete(run.id, run.owner)


@pytest.mark.usefixtures("left_by_none")
def test_ten_sessions_at_once_make_no_error(watched: Watched) -> None:
    """The measuring itself is `python -m benchmarks.load`; here only that it works, and that nothing goes wrong."""
    rooms = ("heads?depth=numbers",)
    with ThreadPoolExecutor(1) as apart:  # from the event loop of a browser that other tests have open
        recording = load.recording_of(watched.url, rooms=rooms, n_control=N_CONTROL)
        sessions = apart.submit(lambda: asyncio.run(load.class_at(watched.url, recording, 10, 3.0))).result()
    assert sum(session.n_error for session in sessions) == 0
    moved = [one.n_alone or one.seconds["control"] or one.seconds["text"] for one in sessions if not one.trains]
    assert all(moved)
    assert all(session.seconds["train"] for session in sessions if session.trains)


@pytest.fixture
def in_training(watched: Watched, store: RunStore) -> Iterator[Callable[[int], tuple[str, str]]]:
    """`in_training(n) -> (cookie, run)`: somebody whose training goes on."""
    begun: list[tuple[str, str]] = []

    def begin(number: int) -> tuple[str, str]:
        cookie = secret(5000 + number)
        run = store.create(owner_of(cookie), LONG.to_dict(), seed=number, name="a long run")
        begun.append((owner_of(cookie), run))
        until(lambda: store.get(run).step > 0)
        return cookie, run

    yield begin
    for owner, run in begun:
        store.delete(run, owner)


@pytest.mark.parametrize("how", ["close", "cut", "reload", "second tab"])
def test_a_training_goes_on_whoever_leaves_and_is_found_again(
    watched: Watched, store: RunStore, in_training: Callable[[int], tuple[str, str]], how: str
) -> None:
    n_time, slowest, points = count(1, 20), 0.0, 0
    cookie, run = in_training(len(how))
    for _ in range(n_time):
        with Visitor(watched.url, "studio", owner=cookie) as visitor:
            visitor.open()
            visitor.listen(0.3)
            assert "a long run" in visitor.text()
            before = store.get(run).step
            if how == "cut":
                visitor.cut()
            elif how == "reload":
                visitor.open()
            elif how == "second tab":
                with Visitor(watched.url, "studio", owner=cookie) as other:
                    other.open()
                    assert "a long run" in other.text()
        time.sleep(0.2)
        with Visitor(watched.url, "studio", owner=cookie) as again:
            slowest = max(slowest, again.open())
            assert "a long run" in again.text() and again.exceptions == []
        until(lambda before=before: store.get(run).step > before or store.get(run).state != "running")
        steps = [point.step for point in store.points(run)]
        assert steps == list(range(1, len(steps) + 1)), "points are missing"
        assert len(steps) >= points
        points = len(steps)
    assert slowest < REATTACH_SECONDS or not IS_FULL
    tally(f"T10 {how}", times=n_time, lost_points=0, slowest_reattach_s=round(slowest, 2))


def test_a_stop_leaves_no_process(watched: Watched, store: RunStore) -> None:
    n_stop, slowest = count(4, 100), 0.0
    owner = owner_of(secret(9000))
    for n in range(n_stop):
        run = store.create(owner, LONG.to_dict(), seed=n)
        pid = until(lambda run=run: next((row[2] for row in store.running() if row[0] == run), None))
        until(lambda run=run: store.get(run).step > 0)
        start = time.monotonic()
        store.request(run, owner, "stop")
        until(lambda run=run: store.get(run).state == "stopped")
        until(lambda pid=pid: not is_process_alive(pid))
        slowest = max(slowest, time.monotonic() - start)
        store.delete(run, owner)
    assert slowest < STOP_SECONDS or not IS_FULL
    tally("T10 stop", stops=n_stop, orphans=0, slowest_s=round(slowest, 2))
