"""A class on disk: nothing is lost when a process dies, and nothing is left when the class has ended."""

import asyncio
import multiprocessing
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.classroom import questions, rules, store
from core.classroom.state import State
from core.classroom.store import ClassRefused, Classroom
from core.ui.server import server


def _answer_for_ever(folder: str, code: str, learner: str, told: "multiprocessing.connection.Connection") -> None:
    os.environ["GLASSFORMER_DATA"] = folder
    room = Classroom(code)
    for value in range(10**9):
        room.answer(learner, 1, 1, value % 1000)
        told.send(value % 1000)


@pytest.mark.slow
def test_killed_in_the_middle_no_answer_is_lost(room: Classroom, data_folder: Path) -> None:
    mia = room.join("a", "Mia")
    asked = {"do": "ask", "ask": "?", "kind": "number", "low": 0, "high": 1000}
    rules.teacher(room, asked)
    context = multiprocessing.get_context("spawn")
    for pause in (0.0, 0.003, 0.01, 0.02):
        ours, theirs = context.Pipe()
        worker = context.Process(target=_answer_for_ever, args=(str(data_folder), room.code, mia, theirs))
        worker.start()
        assert ours.poll(60)
        time.sleep(pause)
        os.kill(worker.pid or 0, signal.SIGKILL)
        worker.join()
        last = -1
        while ours.poll():
            try:
                last = ours.recv()
            except EOFError:
                break
        (kept,) = room.read().answers[1, 1]
        assert kept.value in (last, (last + 1) % 1000), "what was confirmed is there"


def test_another_process_is_seen_at_once(room: Classroom) -> None:
    before = room.version()
    assert room.version() == before
    with closing(Classroom(room.code)) as other:
        other.join("a", "Mia")
    assert room.version() != before


def test_the_end_leaves_nothing(room: Classroom, data_folder: Path) -> None:
    room.join("a", "Unmistakable")
    rules.teacher(room, {"do": "ask", "ask": "Unmistakable?", "kind": "word"})
    with closing(Classroom(room.code)) as other:
        other.read()
        room.end()
        for call in (other.read, room.read, lambda: other.join("b"), lambda: other.change(lambda now: now)):
            with pytest.raises(ClassRefused, match="ended"):
                call()
        assert other.version() is None
    assert store.find(room.code) is None
    left = [path for path in data_folder.rglob("*") if path.is_file()]
    assert not [path for path in left if b"Unmistakable" in path.read_bytes()] and not store.codes()


def test_a_class_that_nobody_ends_is_deleted_after_a_day(room: Classroom) -> None:
    store.tidy(time.time() + store.DAY - 60)
    assert store.codes() == (room.code,)
    store.tidy(time.time() + store.DAY + 60)
    assert not store.codes()


def test_the_server_looks_for_old_classes_now_and_then_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def tidy() -> None:
        looked.append(1)
        raise OSError("no room on the disk")

    monkeypatch.setattr(server, "TIDY_SECONDS", 0.01)

    async def run() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server._tidy((tidy,)), 0.5)

    with ThreadPoolExecutor(1) as apart:  # in this thread a browser's loop may be running
        apart.submit(lambda: asyncio.run(run())).result()
    assert len(looked) > 1


def test_a_server_holds_so_many_classes(monkeypatch: pytest.MonkeyPatch, room: Classroom) -> None:
    monkeypatch.setattr(store, "MOST_CLASSES", 2)
    store.start()
    with pytest.raises(ClassRefused, match="2 classes"):
        store.start()


def test_only_a_secret_opens_a_class(room: Classroom, data_folder: Path) -> None:
    code, key = store.start()
    found = store.find(f" {code[:3].lower()}-{code[3:].lower()} ")
    assert found is not None and found.is_teacher(key) and not found.is_teacher("") and not found.is_teacher(key[:-1])
    assert not any(key.encode() in path.read_bytes() for path in data_folder.rglob("*") if path.is_file())
    for one in (room, found):
        one.close()


def test_another_device_goes_on_as_the_same_learner(room: Classroom) -> None:
    mia = room.join("phone", "Mia")
    rules.teacher(room, {"do": "ask", "ask": "?", "kind": "word"})
    room.answer(mia, 1, 1, "ball")
    first, second = room.way_back(mia), room.way_back(mia)
    assert room.come_back("laptop", first) is None, "a new link ends the one before"
    assert room.come_back("laptop", second) == mia and room.learner_of("laptop") == mia
    assert room.answer(mia, 1, 1, "car") is None and len(room.read().answers[1, 1]) == 1


def test_who_was_sent_out_stays_out(room: Classroom) -> None:
    mia = room.join("phone", "Mia")
    key = room.way_back(mia)
    rules.teacher(room, {"do": "send out", "learner": mia})
    assert room.learner_of("phone") is None and room.come_back("laptop", key) is None
    for call in (lambda: room.join("phone", "Mia"), lambda: rules.learner(room, mia, {"do": "hand", "up": True}, 0.0)):
        with pytest.raises(ClassRefused):
            call()
    rules.teacher(room, {"do": "lock", "on": True})
    with pytest.raises(ClassRefused, match="nobody else"):
        room.join("private window")


def test_a_class_is_full_at_some_time(monkeypatch: pytest.MonkeyPatch, room: Classroom) -> None:
    monkeypatch.setattr(store, "MOST_LEARNERS", 2)
    room.join("a")
    room.join("b")
    with pytest.raises(ClassRefused, match="full"):
        room.join("c")
    assert room.join("a") == room.learner_of("a")


def test_every_state_comes_back(room: Classroom) -> None:
    from dataclasses import asdict

    from core.classroom.state import Asked, Lift, View, from_json

    now = State(
        mode="own pace", first=2, last=5, view=View(address="masks", exhibit=3, by="x"), asked=Asked(n=1, round=2),
        lift=Lift(learner="a"), picks=((1, 1, "a"),), is_paused=True,
    )  # fmt: skip
    assert room.change(lambda _: now) == now == room.read().state == from_json(asdict(now))


def test_a_question_holds_its_answer(room: Classroom) -> None:
    asked = questions.Question(ask="?", form=questions.Word())
    n = room.ask(asked)
    room.put_question(n, questions.Question(ask="?", form=questions.Word(), right="x", told="<p>y</p>"))
    assert room.read(everything=True).questions[n].right == "x"
