"""Homework: what stands in the link, what is kept, and that a receipt says no more than the computation confirms."""

import json
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.lessons.format import shelf
from core.lessons.format.lesson import Check, Predict
from core.lessons.homework import answers
from core.lessons.homework.answers import Said
from core.lessons.homework.assignment import Assignment, in_words, read
from core.lessons.homework.marking import compared, mark, numbers_of, of_curve, right_answer
from core.lessons.homework.receipt import Receipt, ReceiptRefused, Trained, from_bytes, to_bytes

LESSON = "short-masks"
GIVEN = Assignment(LESSON, 2_000_000_000)
RUN = Trained(spec={"experiment": "cheating", "options": {}}, seed=1, step=9, n_step=9, numbers={"curve.a": 0.5})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


def made(*said: Said) -> Receipt:
    return Receipt(name="Ada", given=GIVEN, made=1_999_999_000.5, said=list(said), runs=[RUN])


def test_a_link_says_lesson_and_deadline_and_nothing_else_is_one() -> None:
    assert read(GIVEN.code) == GIVEN
    for wrong in (
        "",
        "masks",
        "masks.",
        "masks.12",
        ".2000000000",
        "../x.2000000000",
        "masks.2000000000.1",
        "Ma.2000000000",
    ):
        assert read(wrong) is None
    assert in_words(1_796_407_200, "Europe/Vienna") == "Friday 4 December, 19:00"
    assert in_words(1_796_407_200, "../../etc/passwd") == in_words(1_796_407_200, None) == "Friday 4 December, 18:00"


def test_the_first_answer_stays_and_is_its_owners_until_sixty_days_after(monkeypatch: pytest.MonkeyPatch) -> None:
    for place, answer in (("10.1", [1.0, 2.0]), ("2.1", "same"), ("2.1", "worse"), ("2.3", None)):
        answers.note("ann", GIVEN, place, answer)
    answers.note("ben", GIVEN, "2.1", 7)
    told = [(one.place, one.first, one.last, one.n_try) for one in answers.of("ann", GIVEN)]
    assert told == [("2.1", "same", "worse", 2), ("2.3", None, None, 1), ("10.1", [1.0, 2.0], [1.0, 2.0], 1)]
    assert answers.of("ann", replace(GIVEN, due=GIVEN.due + 1)) == []
    monkeypatch.setattr(time, "time", lambda: GIVEN.due + 86400.0 * 61)
    answers.note("cyd", replace(GIVEN, due=GIVEN.due + 86400 * 90), "1.1", 1)
    assert answers.of("ann", GIVEN) == answers.of("ben", GIVEN) == []


def test_a_receipt_comes_back_as_it_was_and_says_who_wrote_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made(Said(place="2.1", first="same", last="worse", n_try=2, at=5.0))
    data = to_bytes(whole)
    assert from_bytes(data) == replace(whole, is_ours=True)
    forged = json.loads(data)
    forged["answers"][0]["first"] = "worse"
    assert not from_bytes(json.dumps(forged).encode()).is_ours
    assert (folder / "homework.key").stat().st_mode & 0o077 == 0
    monkeypatch.setenv("GLASSFORMER_DATA", str(folder / "elsewhere"))
    assert from_bytes(data) == whole, "another server reads it, and vouches for nothing"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150)
@example("made", 1e300)
@example("made", -1.0)
@given(st.sampled_from(["name", "homework", "made", "answers", "runs", "signature", "glassformer receipt"]), JSON)
def test_whatever_a_file_holds_is_read_or_refused_in_words(name: str, value: Any) -> None:
    told = json.loads(to_bytes(made())) | {name: value}
    with suppress(ReceiptRefused):
        found = from_bytes(json.dumps(told).encode())
        assert len(mark(found)) == 3 and in_words(found.made, None) and found.name


@given(st.binary(max_size=200))
def test_what_is_no_receipt_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(ReceiptRefused):
        from_bytes(data)


def test_every_first_answer_is_held_against_what_the_computation_says() -> None:
    lesson = shelf.lessons()[LESSON]
    places = [
        (number, i)
        for number, step in enumerate(lesson.steps, 1)
        for i, part in enumerate(step.parts)
        if isinstance(part, Predict | Check)
    ]
    assert len(places) == 3 and {one.verdict for one in mark(made())} == {"open"}
    right = [right_answer(LESSON, number, i) for number, i in places]

    def verdicts(*first: Any) -> list[str]:
        said = [
            Said(place=f"{number}.{i}", first=answer, last=right[0], n_try=2, at=1.0)
            for (number, i), answer in zip(places, first, strict=True)
        ]
        return [one.verdict for one in mark(made(*said))]

    assert verdicts(*right) == ["right"] * 3
    assert verdicts(right[0] + 30, None, "<script>") == ["wrong", "shown", "no answer to this question"]
    with pytest.raises(ValueError, match="isn't on this server's shelf"):
        mark(replace(made(), given=replace(GIVEN, lesson="nowhere")))


def test_numbers_of_a_training_are_compared_as_processors_differ() -> None:
    record = {
        "curve.a": np.array([3.0, 0.5], np.float32),
        "curve.b": np.array([np.nan], np.float32),
        "model.x": np.ones(3, np.float32),
        "seconds.a": np.array([9.0], np.float32),
        "tokens": np.array([1, 2]),
    }
    assert numbers_of(record) == {"curve.a": 0.5, "curve.a at first": 3.0}
    assert of_curve([(1, 3.0), (9, 0.5)]) == {"validation loss": 0.5, "validation loss at first": 3.0}
    assert compared({"a": 0.5}, {"a": 0.5}) == "the same"
    assert compared({"a": 0.5}, {"a": 0.51}) == "nearly the same"
    assert compared({"a": 0.5}, {"a": 0.6}) == compared({"a": 0.5}, {"b": 0.5}) == compared({}, {}) == "other"
