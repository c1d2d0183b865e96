"""A lesson as homework on its page: answers that come back, the receipt, and practice without a signed link."""

import hashlib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.lessons.homework import answer_store
from core.lessons.homework.answer_store import stored_answers
from core.lessons.homework.assignment import Assignment, link_code
from tests.pages.rooms import clean

ROOT = Path(__file__).resolve().parents[2]
SECRET = "0" * 32
OWNER = hashlib.sha256(b"glassformer owner " + SECRET.encode()).hexdigest()[:32]
GIVEN = Assignment("short-masks", 4_000_000_000)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


def opened(step: int, code: str | None = None) -> AppTest:
    """A step of the lesson, with the homework's link, or another code in it."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["_owner_of_this_session"] = SECRET
    app.run()
    app.switch_page("pages/lessons/lessons.py")
    code = link_code(GIVEN, GIVEN.due) if code is None else code
    app.query_params.update({"lesson": GIVEN.lesson, "step": str(step), "homework": code})
    return clean(app.run())


def commit(app: AppTest) -> None:
    app.number_input[0].set_value(21)
    next(one for one in app.button if one.label == "Commit").click()
    clean(app.run())


def test_answers_are_there_again_at_the_next_visit_and_in_the_receipt() -> None:
    app = opened(1)
    assert any("Homework, due" in one.value for one in app.caption)
    commit(app)
    app.button(key="gf-lesson-next").click()
    clean(app.run())
    assert app.query_params["homework"] == link_code(GIVEN, GIVEN.due) and app.query_params["step"] == "2"
    (said,) = stored_answers(OWNER, GIVEN)
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


@pytest.mark.parametrize("code", [GIVEN.text, f"{GIVEN.text}.{'0' * 32}", "masks.4000000000", "x" * 5000])
def test_a_link_that_is_not_signed_is_practice(code: str) -> None:
    """Fault: a deadline of one's own choice that gives a signed receipt, or answers that go nowhere without a word."""
    app = opened(1, code)
    assert "this is practice" in app.warning[0].value and not any("Homework" in one.value for one in app.caption)
    commit(app)
    app.button(key="gf-lesson-next").click()
    clean(app.run())
    assert app.query_params["step"] == "2" and "this is practice" in app.warning[0].value, "on each step"
    end = opened(3, code)
    assert not any("Your receipt" in one.value for one in end.subheader)
    assert stored_answers(OWNER, GIVEN) == []


def test_an_answer_that_could_not_be_kept_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: an answer that is lost without a word."""
    monkeypatch.setattr(answer_store, "MAX_OF_LEARNER", 0)
    app = opened(1)
    commit(app)
    assert any("This answer wasn't kept" in one.value for one in app.warning)


def test_a_damaged_key_is_told_in_words(folder: Path) -> None:
    """Fault: an empty key that signs and verifies, or a page that fails without saying what to do."""
    (folder / "homework.key").write_bytes(b"")
    words = "homework.key is damaged (0 bytes instead of 32). Delete it"
    app = opened(1, f"{GIVEN.text}.{'0' * 32}")
    assert words in app.warning[0].value
    app.switch_page("pages/teach/homework.py")
    app.run()
    assert not app.exception
    assert words in app.error[0].value.replace("\\", "").replace("\u2060", "") and not app.code
