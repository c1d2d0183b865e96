"""A class on disk: nothing is lost when a process dies, and nothing is left when the class has ended."""

import asyncio
import multiprocessing
import os
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.classroom import message_handlers, registry, seats
from core.classroom.class_file import class_file_path
from core.classroom.codes import projector_key
from core.classroom.question_types import questions
from core.classroom.state import ClassDamaged, ClassRefused, ClassState
from core.classroom.store import Classroom
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
    message_handlers.handle_teacher_message(room, asked)
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
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "Unmistakable?", "kind": "word"})
    with closing(Classroom(room.code)) as other:
        other.read()
        room.end()
        for call in (other.read, room.read, lambda: other.join("b"), lambda: other.change(lambda now: now)):
            with pytest.raises(ClassRefused, match="ended"):
                call()
        assert other.version() is None
    assert registry.find_class(room.code) is None
    left = [path for path in data_folder.rglob("*") if path.is_file()]
    assert not [path for path in left if b"Unmistakable" in path.read_bytes()] and not registry._class_codes()


@pytest.mark.parametrize("content", [b"", b"\0" * 4096, b"SQLite format 3\0" + b"\xff" * 5000, b"<html>" * 999, "half"])
def test_one_damaged_file_harms_no_other_class(content: bytes | str, room: Classroom, data_folder: Path) -> None:
    """It kept every class from beginning, and tidying failed each minute. Where it cannot be read it is set aside."""
    code, _ = registry.start_class()
    path = class_file_path(code)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    path.write_bytes(path.read_bytes()[:3000] if isinstance(content, str) else content)
    with closing(Classroom(code)) as damaged, pytest.raises(ClassDamaged, match="Start a new class"):
        damaged.learner_of("a")
    assert registry.start_class() and room.join("a")
    registry.delete_old_classes()
    assert (
        code not in registry._class_codes()
        and room.code in registry._class_codes()
        and registry.find_class(code) is None
    )
    registry.delete_old_classes(time.time() + registry.DAY + 60)
    assert not list((data_folder / "classes").iterdir()), "and nothing of it is kept for longer than a day"


def test_a_class_that_has_just_ended_is_not_made_again(room: Classroom) -> None:
    """SQLite makes the file that it is to open."""
    room.end()
    with pytest.raises(sqlite3.OperationalError):
        room._connect()
    assert not room.path.exists()


def test_a_class_that_nobody_ends_is_deleted_after_a_day(room: Classroom) -> None:
    room.join("a")
    registry.delete_old_classes(time.time() + registry.DAY - 60)
    assert registry._class_codes() == (room.code,)
    registry.delete_old_classes(time.time() + registry.DAY + 60)
    assert not registry._class_codes()


def test_a_class_that_nobody_has_joined_is_deleted_once_no_screen_shows_it(room: Classroom) -> None:
    later = time.time() + registry.UNUSED + 60
    os.utime(room.path, (later - 10, later - 10))  # as an open desk does
    registry.delete_old_classes(later)
    assert registry._class_codes() == (room.code,)
    registry.delete_old_classes(later + registry.UNUSED)
    assert not registry._class_codes()


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
    monkeypatch.setattr(registry, "MOST_CLASSES", 2)
    registry.start_class()
    with pytest.raises(ClassRefused, match="2 classes"):
        registry.start_class()


def test_only_a_secret_opens_a_class(room: Classroom, data_folder: Path) -> None:
    code, key = registry.start_class()
    found = registry.find_class(f" {code[:3].lower()}-{code[3:].lower()} ")
    assert found is not None and found.opens("desk", key)
    assert not any(found.opens(role, one) for role in ("desk", "projector", "learner", "") for one in ("", key[:-1]))
    assert found.opens("projector", projector_key(key)) and not found.opens("desk", projector_key(key))
    assert not any(key.encode() in path.read_bytes() for path in data_folder.rglob("*") if path.is_file())
    for one in (room, found):
        one.close()


def test_another_device_goes_on_as_the_same_learner(room: Classroom) -> None:
    mia = room.join("phone", "Mia")
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "?", "kind": "word"})
    room.answer(mia, 1, 1, "ball")
    first, second = room.way_back(mia), room.way_back(mia)
    assert room.come_back("laptop", first) is None, "a new link ends the one before"
    assert room.come_back("laptop", second) == mia and room.learner_of("laptop") == mia
    assert room.answer(mia, 1, 1, "car") is None and len(room.read().answers[1, 1]) == 1


def test_who_was_sent_out_stays_out(room: Classroom) -> None:
    mia = room.join("phone", "Mia")
    key = room.way_back(mia)
    message_handlers.handle_teacher_message(room, {"do": "send out", "learner": mia})
    assert room.learner_of("phone") is None and room.come_back("laptop", key) is None
    for call in (
        lambda: room.join("phone", "Mia"),
        lambda: message_handlers.handle_learner_message(room, mia, {"do": "hand", "up": True}, 0.0),
    ):
        with pytest.raises(ClassRefused):
            call()
    message_handlers.handle_teacher_message(room, {"do": "lock", "on": True})
    with pytest.raises(ClassRefused, match="anyone else"):
        room.join("private window")


def test_a_class_is_full_at_some_time(monkeypatch: pytest.MonkeyPatch, room: Classroom) -> None:
    monkeypatch.setattr(seats, "MOST_SEATS", 2)
    room.join("a")
    room.join("b")
    with pytest.raises(ClassRefused, match="full"):
        room.join("c")
    assert room.join("a") == room.learner_of("a")


def test_every_state_comes_back(room: Classroom) -> None:
    from dataclasses import asdict

    from core.classroom.state import CurrentClassPage, OpenQuestion, ScreenShareInvitation, class_state_from_json

    now = ClassState(
        mode="own pace", first=2, last=5, view=CurrentClassPage(address="masks", exhibit=3, by="x"),
        asked=OpenQuestion(n=1, round=2), lift=ScreenShareInvitation(learner="a"), picks=((1, 1, "a"),), is_paused=True,
    )  # fmt: skip
    assert room.change(lambda _: now) == now == room.read().state == class_state_from_json(asdict(now))


def test_a_question_holds_its_answer(room: Classroom) -> None:
    asked = questions.ClassQuestion(ask="?", form=questions.WordForm())
    n = room.ask(asked)
    room.put_question(n, questions.ClassQuestion(ask="?", form=questions.WordForm(), right="x", told="<p>y</p>"))
    assert room.read(everything=True).questions[n].right == "x"
