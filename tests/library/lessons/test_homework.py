"""Homework: what a link is, what is kept of answers, and that marking says no more than the computation confirms."""

import shutil
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from core.lessons.format import catalog
from core.lessons.format.lesson import CheckQuestion, PredictQuestion
from core.lessons.homework import answer_store
from core.lessons.homework.answer_store import AnswerNotStored, StoredAnswer
from core.lessons.homework.assignment import (
    Assignment,
    assignment_in_link,
    link_code,
    moment_text,
    parse_assignment,
    verified_assignment,
)
from core.lessons.homework.marking import (
    _right_answer,
    compare_rerun_numbers,
    curve_endpoints,
    loss_curve_endpoints,
    mark_receipt,
)
from core.lessons.homework.receipt import Receipt

LESSON = "short-masks"
GIVEN = Assignment(LESSON, 2_000_000_000)
NOW = GIVEN.due - 86400.0


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


def told(owner: str, one: Assignment = GIVEN) -> list[tuple[Any, ...]]:
    return [(said.place, said.first, said.last, said.n_try) for said in answer_store.stored_answers(owner, one)]


def test_a_link_is_this_servers_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: a deadline that the learner writes into the link."""
    code = link_code(GIVEN, NOW)
    assert verified_assignment(code) == GIVEN
    for wrong in (
        "",
        "masks",
        "masks.",
        GIVEN.text,
        f"{GIVEN.text}.",
        f".{GIVEN.due}",
        f"../x.{GIVEN.due}",
        f"{code}.1",
    ):
        assert verified_assignment(wrong) is None
    later = replace(GIVEN, due=GIVEN.due + 1)
    assert verified_assignment(f"{later.text}.{code.rpartition('.')[2]}") is None
    monkeypatch.setenv("GLASSFORMER_DATA", str(folder / "elsewhere"))
    assert verified_assignment(code) is None
    assert assignment_in_link(f"https://a.example/lessons?lesson={LESSON}&step=1&homework={code} ") == GIVEN
    assert assignment_in_link("https://a.example/lessons") is assignment_in_link("nonsense") is None
    assert parse_assignment(GIVEN.text) == GIVEN and parse_assignment(code) is None


@given(st.data())
def test_a_link_with_one_changed_letter_is_none(data: st.DataObject) -> None:
    """Fault: a part of the link that isn't signed."""
    code = link_code(GIVEN, NOW)
    at, letter = data.draw(st.integers(0, len(code) - 1)), data.draw(st.sampled_from("0123456789abcdef-.٣A"))
    assume(letter != code[at])
    assert verified_assignment(code[:at] + letter + code[at + 1 :]) is None


@given(st.floats(0, 9e9), st.floats(-9e9, 9e9))
def test_a_deadline_lies_within_the_years_around_now(now: float, days: float) -> None:
    """Fault: homework that is due in the year 5138, and answers that are kept until then."""
    due = int(now + days)
    if -86400 * 365 <= due - now <= 86400 * 730 and 1e8 <= due < 1e10:
        assert verified_assignment(link_code(Assignment(LESSON, due), now)) == Assignment(LESSON, due)
    elif not -86400 * 365 <= due - now <= 86400 * 730:
        with pytest.raises(ValueError, match="too far away"):
            link_code(Assignment(LESSON, due), now)


def test_a_moment_is_shown_in_local_time() -> None:
    assert moment_text(1_796_407_200, "Europe/Vienna") == "Friday 4 December, 19:00"
    assert (
        moment_text(1_796_407_200, "../../etc/passwd") == moment_text(1_796_407_200, None) == "Friday 4 December, 18:00"
    )


def test_the_first_answer_stays_and_is_its_owners_until_sixty_days_after(monkeypatch: pytest.MonkeyPatch) -> None:
    for place, answer in (("10.1", [1.0, 2.0]), ("2.1", "same"), ("2.1", "worse"), ("2.3", None)):
        answer_store.store_answer("ann", GIVEN, place, answer)
    answer_store.store_answer("ben", GIVEN, "2.1", 7)
    assert told("ann") == [("2.1", "same", "worse", 2), ("2.3", None, None, 1), ("10.1", [1.0, 2.0], [1.0, 2.0], 1)]
    assert told("ann", Assignment("masks", GIVEN.due)) == []
    monkeypatch.setattr(time, "time", lambda: GIVEN.due + 86400.0 * 61)
    answer_store.store_answer("cyd", replace(GIVEN, due=GIVEN.due + 86400 * 90), "1.1", 1)
    assert told("ann") == told("ben") == []


def test_the_first_answer_counts_whatever_the_deadline() -> None:
    """Fault: everything is tried under a deadline of one's own, and then answered "right at first"."""
    answer_store.store_answer("ann", replace(GIVEN, due=GIVEN.due + 86400), "2.1", "wrong")
    answer_store.store_answer("ann", GIVEN, "2.1", "right")
    assert told("ann") == [("2.1", "wrong", "right", 2)]


def test_answers_of_an_older_version_stay(folder: Path) -> None:
    """Fault: an update that loses answers, or lets the later of two first ones count."""
    with sqlite3.connect(folder / "homework.sqlite") as db:
        db.execute(
            "CREATE TABLE said (owner TEXT NOT NULL, code TEXT NOT NULL, place TEXT NOT NULL, due INTEGER NOT NULL, "
            "first TEXT NOT NULL, last TEXT NOT NULL, n_try INTEGER NOT NULL, at REAL NOT NULL, "
            "PRIMARY KEY (owner, code, place)) WITHOUT ROWID"
        )
        rows = [("ann", GIVEN.due, "2.1", "7", "8", 2, 20.0), ("ann", 10**10 - 1, "2.1", "5", "6", 3, 10.0),
                ("ben", GIVEN.due, "1.1", "null", "1", 1, 30.0)]  # fmt: skip
        for owner, due, place, *rest in rows:
            db.execute(
                "INSERT INTO said VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (owner, f"{LESSON}.{due}", place, due, *rest)
            )
    db.close()
    assert told("ann") == [("2.1", 5, 8, 5)] and told("ben") == [("1.1", None, 1, 1)]
    with sqlite3.connect(folder / "homework.sqlite") as db:
        (due,) = db.execute("SELECT due FROM answers WHERE owner = 'ann'").fetchone()
    db.close()
    assert due < time.time() + 86400 * 731, "a deadline that a learner made up keeps nothing for ever"


@pytest.mark.parametrize("limit", ["MAX_OF_LEARNER", "MAX_OF_ADDRESS", "MAX_BYTES"])
def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Fault: a browser, or cookies that are thrown away, that fill the disk."""
    monkeypatch.setattr(answer_store, limit, {"MAX_BYTES": 40_000}.get(limit, 5))
    owner = (lambda i: "ann") if limit == "MAX_OF_LEARNER" else (lambda i: f"cookie {i}")
    long = "answer" * 500

    def fill() -> None:
        for i in range(500):
            answer_store.store_answer(owner(i), GIVEN, f"1.{i}", long, "address")

    with pytest.raises(AnswerNotStored, match="wasn't kept"):
        fill()
    assert told(owner(0))[0] == ("1.0", long, long, 1)
    answer_store.store_answer(owner(0), GIVEN, "1.0", "again", "address")
    assert told(owner(0))[0] == ("1.0", long, "again", 2), "what is there goes on"
    if limit != "MAX_BYTES":
        answer_store.store_answer("ben", GIVEN, "1.1", 1, "elsewhere")


def test_a_full_disk_and_a_damaged_file_keep_nothing_and_say_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: answers that take the disk's last room, or that are lost without a word."""

    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9 - 1))
    with pytest.raises(AnswerNotStored, match="disk is full"):
        answer_store.store_answer("ann", GIVEN, "1.1", 1)
    assert told("ann") == []
    (folder / "homework.sqlite").write_bytes(b"x" * 5000)
    with pytest.raises(AnswerNotStored, match="couldn't write"):
        answer_store.store_answer("ann", GIVEN, "1.1", 1)


def test_every_first_answer_is_held_against_what_the_computation_says() -> None:
    lesson = catalog.catalog_lessons()[LESSON]
    places = [
        (number, i)
        for number, step in enumerate(lesson.steps, 1)
        for i, part in enumerate(step.parts)
        if isinstance(part, PredictQuestion | CheckQuestion)
    ]
    nothing = Receipt(name="Ada", given=GIVEN, made=NOW, said=[], runs=[])
    assert len(places) == 3 and {one.verdict for one in mark_receipt(nothing)} == {"open"}
    right = [_right_answer(LESSON, number, i) for number, i in places]

    def verdicts(*first: Any) -> list[str]:
        said = [
            StoredAnswer(place=f"{number}.{i}", first=answer, last=right[0], n_try=2, at=1.0)
            for (number, i), answer in zip(places, first, strict=True)
        ]
        return [one.verdict for one in mark_receipt(replace(nothing, said=said))]

    assert verdicts(*right) == ["right"] * 3
    assert verdicts(right[0] + 30, None, "<script>") == ["wrong", "shown", "unreadable"]
    with pytest.raises(ValueError, match="isn't on this server's shelf"):
        mark_receipt(replace(nothing, given=replace(GIVEN, lesson="nowhere")))


def test_numbers_of_a_training_are_compared_as_processors_differ() -> None:
    record = {
        "curve.a": np.array([3.0, 0.5], np.float32),
        "curve.b": np.array([np.nan], np.float32),
        "model.x": np.ones(3, np.float32),
        "seconds.a": np.array([9.0], np.float32),
        "tokens": np.array([1, 2]),
    }
    assert curve_endpoints(record) == {"curve.a": 0.5, "curve.a at first": 3.0}
    assert loss_curve_endpoints([(1, 3.0), (9, 0.5)]) == {"validation loss": 0.5, "validation loss at first": 3.0}
    assert compare_rerun_numbers({"a": 0.5}, {"a": 0.5}) == "same"
    assert compare_rerun_numbers({"a": 0.5}, {"a": 0.51}) == "nearly_same"
    assert (
        compare_rerun_numbers({"a": 0.5}, {"a": 0.6})
        == compare_rerun_numbers({"a": 0.5}, {"b": 0.5})
        == compare_rerun_numbers({}, {})
        == "other"
    )
