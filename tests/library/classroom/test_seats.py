"""The seats of a class: a counted resource that is given back."""

import os
import time
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from core.classroom import message_handlers, registry, seats, views
from core.classroom.class_file import class_file_path
from core.classroom.state import ClassRefused, RetryLater
from core.classroom.store import Classroom


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MOST_SEATS", 3)


def _is_gone(room: Classroom, learner: str) -> None:
    room.note(learner, seen=time.time() - seats.GONE_SECONDS - 1)


def test_one_who_is_sent_out_holds_no_seat(room: Classroom, few: None) -> None:
    """After all were sent out, an honest learner still heard that the class is full."""
    for n in range(3):
        message_handlers.handle_teacher_message(room, {"do": "send out", "learner": room.join(f"hostile {n}")})
    assert room.join("honest")


def test_one_who_is_gone_gives_the_seat_back_unless_something_would_be_lost(room: Classroom, few: None) -> None:
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "?", "kind": "word"})
    answered, stuck, silent = (room.join(name, name) for name in ("answered", "stuck", "silent"))
    room.answer(answered, 1, 1, "ball")
    room.note(stuck, hand=1.0)
    with pytest.raises(ClassRefused, match="full"):
        room.join("next")
    for one in (answered, stuck, silent):
        _is_gone(room, one)
    assert room.join("next")
    assert {answered, stuck} < set(room.read().learners) and silent not in room.read().learners
    with pytest.raises(ClassRefused, match="full"):
        room.join("another")


def test_an_address_fills_no_class_in_a_moment(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "JOINS_PER_MINUTE", 4)
    known = [room.join(f"a{n}", came="school") for n in range(4)]
    with pytest.raises(RetryLater):
        room.join("b", came="school")
    assert room.join("a0", came="school") == known[0] and room.join("c", came="elsewhere")


def test_the_desk_sees_a_crowd_and_can_remove_it(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "CROWD", 3)
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "?", "kind": "word"})
    mia = room.join("mia", "Mia", "school")
    room.answer(mia, 1, 1, "ball")
    for n in range(5):
        room.join(f"x{n}", came="school")
    room.join("other", came="elsewhere")
    assert views.desk_view(room.read(), time.time())["crowds"] == [{"came": "school", "n": 6, "is_full": False}]
    message_handlers.handle_teacher_message(room, {"do": "clear", "came": "school"})
    assert {one.came for one in room.read().present} == {"school", "elsewhere"} and len(room.read().present) == 2
    assert mia in room.read().learners
    assert room.join("x0", came="school"), "who was removed by mistake may come again"


def test_a_full_class_is_emptied_of_those_who_answered_and_left(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 60 invented learners answered once and kept its seat forever; after two minutes no crowd was shown."""
    monkeypatch.setattr(views, "CROWD", 3)
    monkeypatch.setattr(seats, "MOST_SEATS", 4)
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "?", "kind": "word"})
    mia, *invented = (room.join(f"x{n}", came="school") for n in range(4))
    for one in invented:
        room.answer(one, 1, 1, "spam")
        room.note(one, seen=0.0, joined=0.0)
    assert views.desk_view(room.read(), time.time())["crowds"] == [{"came": "school", "n": 4, "is_full": True}]
    message_handlers.handle_teacher_message(room, {"do": "clear", "came": "school", "are_gone": True})
    assert [one.id for one in room.read().present] == [mia] and room.join("next", came="school")


def test_those_who_were_sent_out_fill_no_file(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MOST_SENT_OUT", 2)
    for n in range(5):
        message_handlers.handle_teacher_message(room, {"do": "send out", "learner": room.join(f"x{n}")})
    assert len(room.read().learners) == 2


@pytest.mark.parametrize(
    ("limit", "start"),
    [
        ("MOST_OF_ADDRESS", lambda n: registry.start_class(f"owner {n}", "school")),
        ("MOST_OF_OWNER", lambda n: registry.start_class("owner", f"address {n}")),
        ("MOST_CLASSES", lambda n: registry.start_class(f"owner {n}", f"address {n}")),
    ],
)
def test_nobody_takes_all_classes(limit: str, start: Callable[[int], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """One machine began 200 classes; then the teacher heard: wait until tomorrow."""
    monkeypatch.setattr(registry, limit, 2)
    start(0), start(1)
    with pytest.raises(ClassRefused, match="2 classes"):
        start(2)
    code, other = registry._class_codes()
    Classroom(code).end()
    start(2)
    joined = next(one for one in registry._class_codes() if one != other)
    Classroom(joined).join("learner")
    for path in class_file_path(code).parent.iterdir():
        os.utime(path, (0, 0))  # no screen shows them
    start(3)
    assert joined in registry._class_codes() and other not in registry._class_codes(), "what nobody uses gives way"


@given(st.lists(st.tuples(st.sampled_from(["join", "answer", "out", "gone", "hand"]), st.integers(0, 7)), max_size=40))
def test_seats_are_never_lost_and_nobody_who_did_something_loses_one(moves: list[tuple[str, int]]) -> None:
    """Whatever happens, in whatever order: as many fit in as there are seats that are not held by right."""
    room = Classroom(registry.start_class()[0])
    before, seats.MOST_SEATS = seats.MOST_SEATS, 3
    here: dict[int, str] = {}  # who is in
    gone: set[int] = set()  # of them: whose browser is closed
    has_acted: set[int] = set()
    try:
        message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "?", "kind": "word"})
        for turn, (move, n) in enumerate(moves):
            if move == "join" and n not in here:
                if sum(one not in gone or one in has_acted for one in here) == 3:
                    with pytest.raises(ClassRefused, match="full"):
                        room.join(f"owner {turn}")
                    continue
                here[n] = room.join(f"owner {turn}")
                left = {one for one in here if here[one] not in room.read().learners}
                assert left <= gone - has_acted
                here = {one: id_ for one, id_ in here.items() if one not in left}
            elif n in here and move == "answer":
                room.answer(here[n], 1, 1, "ball")
                has_acted.add(n)
            elif n in here and move == "hand":
                room.note(here[n], hand=1.0)
                has_acted.add(n)
            elif n in here and move == "gone":
                _is_gone(room, here[n])
                gone.add(n)
            elif n in here and move == "out":
                message_handlers.handle_teacher_message(room, {"do": "send out", "learner": here.pop(n)})
            gone &= here.keys()
            has_acted &= here.keys()
            assert {one.id for one in room.read().present} == set(here.values())
    finally:
        seats.MOST_SEATS = before
        room.end()
