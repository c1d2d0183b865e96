"""A lesson as homework on its page: answers that come back, the receipt, and the trainings that verify it."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.reporter import StoreReporter
from core.jobs.runs import JobSpec
from core.jobs.store import Store
from core.jobs.worker import STATE_AFTER, run_job
from core.lessons.homework.answers import of
from core.lessons.homework.assignment import Assignment
from core.lessons.page import receipts
from core.train.experiment import record_of
from tests.pages.rooms import clean

ROOT = Path(__file__).resolve().parents[2]
SECRET = "0" * 32
OWNER = hashlib.sha256(b"glassformer owner " + SECRET.encode()).hexdigest()[:32]
GIVEN = Assignment("short-masks", 4_000_000_000)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


def opened(step: int) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["_owner_of_this_session"] = SECRET
    app.run()
    app.switch_page("pages/lessons/lessons.py")
    app.query_params.update({"lesson": GIVEN.lesson, "step": str(step), "homework": GIVEN.code})
    return clean(app.run())


def test_answers_are_there_again_at_the_next_visit_and_in_the_receipt() -> None:
    app = opened(1)
    assert any("Homework, due" in one.value for one in app.caption)
    app.number_input[0].set_value(21)
    next(one for one in app.button if one.label == "Commit").click()
    clean(app.run())
    app.button(key="gf-lesson-next").click()
    clean(app.run())
    assert app.query_params["homework"] == GIVEN.code and app.query_params["step"] == "2"
    (said,) = of(OWNER, GIVEN)
    assert (said.first, said.n_try) == (21, 1)
    again = opened(1)
    assert any("You said" in one.value for one in again.markdown), "the answer stands there"
    end = opened(3)
    assert any("**1** of 3 questions answered." in one.value for one in end.markdown)


def test_an_answer_that_was_only_shown_does_not_count_as_answered() -> None:
    """Fault: the receipt says "3 of 3 questions answered" when all were only shown."""
    app = opened(1)
    next(one for one in app.button if one.label == "Just show me").click()
    clean(app.run())
    end = opened(3)
    assert any("**0** of 3 questions answered. 1 was only shown." in one.value for one in end.markdown)


def test_without_the_link_nothing_is_kept() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.switch_page("pages/lessons/lessons.py")
    app.query_params.update({"lesson": GIVEN.lesson, "step": "1", "homework": "masks.4000000000"})
    clean(app.run())
    app.number_input[0].set_value(21)
    next(one for one in app.button if one.label == "Commit").click()
    clean(app.run())
    assert not any("Homework" in one.value for one in app.caption) and of(OWNER, GIVEN) == []


def test_a_training_is_verified_by_training_it_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, known = Store(folder / "runs"), dict[str, object]()
    monkeypatch.setattr(receipts, "store", lambda: store)
    monkeypatch.setattr(receipts, "owner_id", lambda: "teacher")
    monkeypatch.setattr(receipts, "_known", lambda: known)
    options = {"n_step": 12}
    numbers = receipts.numbers_of(record_of("induction", seed=3, **options))
    better = {name: value / 2 for name, value in numbers.items()}
    true = receipts.Trained(
        spec={"experiment": "induction", "options": options}, seed=3, step=12, n_step=12, numbers=numbers
    )
    false = replace(true, numbers=better)
    other = replace(true, seed=4)
    impossible = receipts.Trained(spec={"experiment": "none"}, seed=0, step=1, n_step=1, numbers=numbers)
    assert receipts._state_of(true) == "not verified yet"
    receipts._begin([true, other, impossible])
    assert receipts._state_of(true) == "is trained again" and receipts._is_training()
    assert store.list("teacher", experiment="induction") == [], "no browser's own"
    while claimed := store.claim():
        info = store.begin(*claimed, pid=1)
        reporter = StoreReporter(store, *claimed, 0.0, lambda: False)
        outcome = run_job(JobSpec(info.recipe, info.seed, store.folder(info.id)), reporter)
        store.leave(*claimed, STATE_AFTER[outcome], step=reporter.step)
        receipts._collect()
    assert receipts._state_of(true) == "verified" and not receipts._is_training()
    assert receipts._state_of(false) == "came out otherwise"
    assert receipts._state_of(other) in ("nearly the same", "came out otherwise")
    assert receipts._state_of(impossible).startswith("can't be trained here")
    assert store.list(receipts._owner(), experiment="induction") == [], "they are gone again"
