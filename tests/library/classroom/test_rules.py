"""The messages that each role may send and receives, in hundreds of random lessons with hostile learners."""

import json
import time
from contextlib import closing, suppress
from typing import Any

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.classroom import message_handlers, registry, seats, views
from core.classroom.question_types.questions import QuestionRefused
from core.classroom.state import ClassRefused, ClassSnapshot
from core.classroom.store import Classroom

SECRET = "only-{}-says-this"  # what a learner answers, so that it is found wherever it is told
NAMES = st.sampled_from(["Mia", "Tom", "", "<script>alert(1)</script>", "=cmd"])
TEACHERS = sorted(message_handlers._TEACHER)
PLACES = st.sampled_from(["masks?layer=1", "lessons?lesson=masks&step=2", "", "//evil.example", "javascript:1", "../x"])


def _told(whole: ClassSnapshot, who: str) -> str:
    return json.dumps(views.learner_view(whole, who))


class Lessons(RuleBasedStateMachine):
    """A class in which anybody says anything at any time."""

    @initialize()
    def begin(self) -> None:
        self.code, self.key = registry.start_class()
        self.room = Classroom(self.code)
        self.who: list[str] = []
        self.owners: dict[str, str] = {}
        self.said: dict[tuple[int, int, str], str] = {}

    def teardown(self) -> None:
        if hasattr(self, "room"):
            self.room.end()

    def teach(self, **said: Any) -> None:
        with suppress(ClassRefused, QuestionRefused):
            message_handlers.handle_teacher_message(self.room, said)

    @rule(name=NAMES)
    def join(self, name: str) -> None:
        owner = f"owner{len(self.who)}"
        try:
            who = self.room.join(owner, name)
        except ClassRefused:
            assert self.room.read().state.is_locked
            return
        assert self.room.join(owner, "another name") == who, "a reload is the same learner"
        self.who.append(who)
        self.owners[who] = owner

    @rule()
    def ask(self) -> None:
        self.teach(do="ask", ask="Which word?", kind="word")

    @rule(do=st.sampled_from(["open", "reveal", "pause", "names", "lock"]), on=st.booleans())
    def switch(self, do: str, on: bool) -> None:
        self.teach(do=do, on=on)

    @rule(do=st.sampled_from(["again", "done", "hide answer"]))
    def press(self, do: str) -> None:
        self.teach(do=do)

    @rule(i=st.integers(0, 9), do=st.sampled_from(["send out", "lift", "lower", "rename"]))
    def with_one(self, i: int, do: str) -> None:
        if self.who:
            self.teach(do=do, learner=self.who[i % len(self.who)], name="Ada")

    @rule(i=st.integers(0, 9))
    def pick(self, i: int) -> None:
        now = self.room.read()
        if self.who and now.state.asked:
            self.teach(do="pick", picks=[[now.state.asked.n, now.state.asked.round, self.who[i % len(self.who)]]])

    @rule(i=st.integers(0, 9))
    def answer(self, i: int) -> None:
        now = self.room.read()
        if not self.who or now.state.asked is None:
            return
        who, asked = self.who[i % len(self.who)], now.state.asked
        word = SECRET.format(i)
        try:
            said = {"do": "answer", "n": asked.n, "round": asked.round, "value": word}
            message_handlers.handle_learner_message(self.room, who, said, time.time())
        except (ClassRefused, QuestionRefused):
            assert now.learners[who].is_out or asked.is_revealed or asked.is_answered
            return
        assert not now.learners[who].is_out
        self.said[asked.n, asked.round, who] = word

    @rule(i=st.integers(0, 9), address=PLACES, yes=st.booleans(), do=st.sampled_from(["at", "consent", "hand"]))
    def learn(self, i: int, address: str, yes: bool, do: str) -> None:
        if self.who:
            said = {"do": do, "address": address, "yes": yes, "up": yes}
            with suppress(ClassRefused, QuestionRefused):
                message_handlers.handle_learner_message(self.room, self.who[i % len(self.who)], said, time.time())

    @rule(i=st.integers(0, 9), do=st.sampled_from([*TEACHERS, "compute", "table", "", "join"]), on=st.booleans())
    def forge(self, i: int, do: str, on: bool) -> None:
        """A learner says what only a teacher may: nothing changes."""
        if not self.who:
            return
        before = self.room.read(everything=True)
        with pytest.raises((ClassRefused, QuestionRefused)):
            message_handlers.handle_learner_message(
                self.room, self.who[i % len(self.who)], {"do": do, "on": on, "learner": self.who[0]}, 0.0
            )
        assert self.room.read(everything=True) == before

    @rule(n=st.integers(-1, 9), round_=st.integers(-1, 3), i=st.integers(0, 9))
    def answer_something_else(self, n: int, round_: int, i: int) -> None:
        now = self.room.read()
        if self.who and (now.state.asked is None or (n, round_) != (now.state.asked.n, now.state.asked.round)):
            said = {"do": "answer", "n": n, "round": round_, "value": "x"}
            with pytest.raises((ClassRefused, QuestionRefused)):
                message_handlers.handle_learner_message(self.room, self.who[i % len(self.who)], said, 0.0)

    @invariant()
    def nobody_is_told_too_much(self) -> None:
        if not hasattr(self, "room"):
            return
        whole = self.room.read()
        asked, shown = whole.state.asked, {who for *_, who in whole.state.picks}
        names = {one.name for one in whole.learners.values()}
        projected = json.dumps(views.projector_view(whole))
        for one in whole.present:
            told = _told(whole, one.id)
            assert not any(id_ in told + projected for id_ in whole.learners)
            others = [
                json.dumps(name)[1:-1] for name in names - {one.name} if name.casefold() not in one.name.casefold()
            ]
            assert not any(name in told for name in others)
            if asked and not asked.is_revealed:
                for (n, round_, who), word in self.said.items():
                    if (n, round_) == (asked.n, asked.round) and who != one.id:
                        own = self.said.get((n, round_, one.id))
                        assert word not in told or word == own
                        assert word not in projected or shown
        if not whole.state.has_names:
            assert not any(json.dumps(name) in projected for name in names - {"", "a learner"})

    @invariant()
    def nobody_is_lost_and_nobody_answers_twice(self) -> None:
        if not hasattr(self, "room"):
            return
        whole = self.room.read(everything=True)
        kept = {(n, r, one.learner): one.value for (n, r), some in whole.answers.items() for one in some}
        out = {one.id for one in whole.learners.values() if one.is_out}
        assert kept == {key: word for key, word in self.said.items() if key[2] not in out}
        assert not out & {one["id"] for one in views.desk_view(whole, time.time())["learners"]}
        assert not out & {who for *_, who in whole.state.picks}
        now, at = self.room.read(), time.time()
        assert json.dumps(views.desk_view(whole, at)) == json.dumps(views.desk_view(now, at)), "of the past nothing"
        assert views.projector_view(whole) == views.projector_view(now)


TestLessons = pytest.mark.slow(Lessons.TestCase)
TestLessons.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)


def test_only_a_page_of_ours_is_shown_to_a_class(room: Classroom) -> None:
    for address in (
        "//evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "../../x",
        "a/b",
        "masks#x",
        3,
        None,
    ):
        with pytest.raises(ClassRefused):
            message_handlers.handle_teacher_message(room, {"do": "show", "address": address, "exhibit": 0, "by": "x"})
    message_handlers.handle_teacher_message(
        room, {"do": "show", "address": "masks?layer=1&view=a_b-1", "exhibit": 2, "by": "x"}
    )
    assert room.read().state.view.address == "masks?layer=1&view=a_b-1"


def test_a_screen_is_shown_to_all_only_with_consent(room: Classroom) -> None:
    mia, tom = room.join("a", "Mia"), room.join("b", "Tom")
    say = {"do": "consent", "yes": True, "address": "masks?layer=1", "exhibit": 1}
    with pytest.raises(ClassRefused):
        message_handlers.handle_learner_message(room, mia, say, 0.0)
    message_handlers.handle_teacher_message(room, {"do": "lift", "learner": mia})
    assert views.learner_view(room.read(), mia)["may_show"] and not views.learner_view(room.read(), tom)["may_show"]
    with pytest.raises(ClassRefused):
        message_handlers.handle_learner_message(room, tom, say, 0.0)
    message_handlers.handle_learner_message(room, mia, say, 0.0)
    told = views.projector_view(room.read())
    assert told["view"]["address"] == "masks?layer=1" and told["from_learner"] == "a learner"
    message_handlers.handle_teacher_message(room, {"do": "names", "on": True})
    assert views.projector_view(room.read())["from_learner"] == "Mia"
    message_handlers.handle_teacher_message(room, {"do": "lift", "learner": tom})
    message_handlers.handle_learner_message(room, tom, {"do": "consent", "yes": False}, 0.0)
    assert room.read().state.lift is None and room.read().state.view.address == "masks?layer=1"


def test_three_answers_are_picked_ordered_and_shown(room: Classroom) -> None:
    ids = [room.join(owner, name) for owner, name in zip("abcd", ("Mia", "Tom", "Ann", "Leo"), strict=True)]
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "Next?", "kind": "word"})
    for who, word in zip(ids, ("cat", "dog", "hen", "cow"), strict=True):
        message_handlers.handle_learner_message(room, who, {"do": "answer", "n": 1, "round": 1, "value": word}, 0.0)
    picked = [[1, 1, ids[i]] for i in (2, 0, 3)]
    message_handlers.handle_teacher_message(room, {"do": "pick", "picks": picked})

    def shown() -> list[tuple[str, str]]:
        return [(one["value"], one["name"]) for one in views.projector_view(room.read())["picks"]]

    assert shown() == [("hen", ""), ("cat", ""), ("cow", "")]
    message_handlers.handle_teacher_message(room, {"do": "names", "on": True})
    assert shown() == [("hen", "Ann"), ("cat", "Mia"), ("cow", "Leo")]
    for wrong in ([*picked, [1, 1, ids[1]]], [[1, 2, ids[0]]], [picked[0]] * 2, [["x"]]):
        with pytest.raises(ClassRefused):
            message_handlers.handle_teacher_message(room, {"do": "pick", "picks": wrong})
    message_handlers.handle_teacher_message(room, {"do": "done"})
    assert shown() == []


def test_two_rounds_stand_side_by_side(room: Classroom) -> None:
    mia = room.join("a", "Mia")
    message_handlers.handle_teacher_message(
        room, {"do": "ask", "ask": "More?", "kind": "choice", "options": ["yes", "no"]}
    )
    message_handlers.handle_learner_message(room, mia, {"do": "answer", "n": 1, "round": 1, "value": "1"}, 0.0)
    message_handlers.handle_teacher_message(room, {"do": "again"})
    assert views.learner_view(room.read(), mia)["question"]["mine"] is None
    message_handlers.handle_learner_message(room, mia, {"do": "answer", "n": 1, "round": 2, "value": "0"}, 0.0)
    message_handlers.handle_teacher_message(room, {"do": "reveal", "on": True})
    counts = [[n for _, n, _ in one["options"]] for one in views.projector_view(room.read())["question"]["rounds"]]
    assert counts == [[0, 1], [1, 0]]


def test_who_answers_after_the_close_is_late(room: Classroom) -> None:
    mia, tom = room.join("a", "Mia"), room.join("b", "Tom")
    message_handlers.handle_teacher_message(
        room, {"do": "ask", "ask": "How many?", "kind": "number", "low": 0, "high": 10, "unit": ""}
    )
    say = {"do": "answer", "n": 1, "round": 1, "value": 3}
    message_handlers.handle_learner_message(room, mia, say, 0.0)
    message_handlers.handle_teacher_message(room, {"do": "open", "on": False})
    message_handlers.handle_learner_message(room, tom, say, 0.0)
    assert [one.is_late for one in room.read().answers[1, 1]] == [False, True]
    message_handlers.handle_teacher_message(room, {"do": "reveal", "on": True})
    with pytest.raises(ClassRefused):
        message_handlers.handle_learner_message(room, tom, {**say, "value": 4}, 0.0)
    message_handlers.handle_teacher_message(room, {"do": "reveal", "on": False})  # taken back
    assert views.learner_view(room.read(), mia)["question"]["rounds"] == []


def test_the_desk_sees_who_is_stuck_still_and_gone(room: Classroom) -> None:
    ids = [room.join(owner) for owner in "abc"]
    message_handlers.handle_learner_message(room, ids[0], {"do": "hand", "up": True}, 1000.0)
    room.note(ids[1], seen=1000.0, active=1000.0 - views.INACTIVE_SECONDS - 1)
    room.note(ids[2], seen=1000.0 - seats.GONE_SECONDS - 1, active=1000.0)
    cells = views.desk_view(room.read(), 1000.0)["learners"]
    assert [(one["hand"] is not None, one["is_still"], one["is_gone"]) for one in cells] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_the_answer_is_computed_for_all(room: Classroom) -> None:
    from core.classroom.question_types import class_question_catalog

    mia = room.join("a", "Mia")
    message_handlers.ask_class(
        room, class_question_catalog.find_question(class_question_catalog.lesson_questions("masks")[0]["source"])
    )
    assert views.projector_view(room.read())["question"]["answer"] is None
    message_handlers.show_correct_answer(room)
    told = views.learner_view(room.read(), mia)["question"]["answer"]
    assert told["right"] == 21.0 and "21" in told["told"]


def test_a_class_writes_a_text(room: Classroom) -> None:
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "Next?", "kind": "word", "text": "", "seed": 3})
    with pytest.raises(QuestionRefused):
        message_handlers.handle_teacher_message(room, {"do": "write on", "word": "ball"})
    message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "Next?", "kind": "word", "text": "Tom saw the"})
    for word in ("ball", "."):
        message_handlers.handle_teacher_message(room, {"do": "write on", "word": word})
    whole = room.read()
    assert whole.questions[4].form.text == "Tom saw the ball."  # type: ignore[union-attr]
    message_handlers.show_correct_answer(room)
    assert "GPT alone" in room.read().questions[4].told


def test_two_classes_never_mix(room: Classroom) -> None:
    code, key = registry.start_class()
    with closing(Classroom(code)) as other:
        mia = room.join("a", "Mia")
        message_handlers.handle_teacher_message(room, {"do": "ask", "ask": "?", "kind": "word"})
        assert other.learner_of("a") is None and not other.read().questions and not other.read().learners
        with pytest.raises(ClassRefused):
            message_handlers.handle_learner_message(other, mia, {"do": "hand", "up": True}, 0.0)
        assert other.opens("desk", key) and not room.opens("desk", key)
