"""The messages that a teacher, a projector or a learner may send to a class, and their effects.

A message is `{"do": "answer", …}`. It comes from a browser, so it may be anything. Each function below implements one
name; names that aren't in the table of the sender's role are refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core.classroom.question_types import class_question_catalog, questions
from core.classroom.question_types.questions import ClassQuestion, QuestionRefused
from core.classroom.race import race_message_handlers as race
from core.classroom.state import MODES, ClassRefused, ClassState, CurrentClassPage, OpenQuestion, ScreenShareInvitation
from core.classroom.store import Classroom
from core.data.localization.labels import module_labels
from core.ui.server.short_links import is_page_address

LABELS = module_labels(__name__)

MOST_PICKS = 3
MOST_STEPS = 60
Message = Mapping[str, Any]
TeacherRule = Callable[[Classroom, Message], object]


def handle_teacher_message(room: Classroom, said: Message) -> object:
    """Carry out a teacher's message and return the reply, if there is one.

    Raises ClassRefused or QuestionRefused: if it can't be done; the message says why.
    """
    rule = _TEACHER.get(str(said.get("do")))
    if rule is None:
        raise ClassRefused(LABELS["not_for_teachers"])
    return rule(room, said)


def handle_projector_message(room: Classroom, said: Message) -> None:
    """Carry out a projector's message, which may only show a page. Raises ClassRefused."""
    if said.get("do") != "show":
        raise ClassRefused(LABELS["not_for_projectors"])
    _show(room, said)


def handle_learner_message(room: Classroom, who: str, said: Message, now: float) -> object:
    """Carry out a learner's message and return the reply, if there is one. Raises as `handle_teacher_message` does."""
    if not room.has(who):
        raise ClassRefused(LABELS["not_in_class"])
    rule = _LEARNER.get(str(said.get("do")))
    if rule is None:
        raise ClassRefused(LABELS["not_for_learners"])
    return rule(room, who, said, now)


def ask_class(room: Classroom, question: ClassQuestion) -> None:
    """Ask the class a question."""
    n = room.ask(question)
    room.change(lambda now: replace(now, asked=OpenQuestion(n=n), picks=()))


def show_correct_answer(room: Classroom) -> None:
    """Show the answer to the current question: the computed one, or the teacher's own.

    Raises QuestionRefused: if there is nothing to compute.
    """
    whole = room.read()
    now = _of(whole.state)
    question = whole.questions[now.n]
    if not question.is_own:
        said = [one.value for one in whole.answers.get((now.n, now.round), ())]
        room.put_question(now.n, class_question_catalog.solve_class_question(question, said))
    room.change(lambda now: replace(now, asked=replace(_of(now), is_open=False, is_revealed=True, is_answered=True)))


def _mode(room: Classroom, said: Message) -> None:
    mode, first, last = said.get("mode"), said.get("first", 1), said.get("last", 1)
    if mode not in MODES or not (_is_step(first) and _is_step(last) and first <= last):
        raise ClassRefused(LABELS["no_mode"])
    room.change(lambda now: replace(now, mode=mode, first=first, last=last))


def _is_step(said: object) -> bool:
    return type(said) is int and 1 <= said <= MOST_STEPS


def _show(room: Classroom, said: Message) -> None:
    view = CurrentClassPage(
        address=_address(said.get("address")), exhibit=_exhibit(said.get("exhibit")), by=str(said.get("by"))[:20]
    )
    room.change(lambda now: replace(now, view=view))


def _address(said: object) -> str:
    if not isinstance(said, str) or not is_page_address(said):
        raise ClassRefused(LABELS["not_a_page"])
    return said


def _exhibit(said: object) -> int:
    return said if type(said) is int and -1 <= said < 100 else -1


def _flag(name: str) -> TeacherRule:
    """Make a rule that switches a field of the state on or off."""

    def rule(room: Classroom, said: Message) -> None:
        given: dict[str, Any] = {name: said.get("on") is True}
        room.change(lambda now: replace(now, **given))

    return rule


def _asked(**changes: Any) -> TeacherRule:
    """Make a rule that changes the current question."""

    def rule(room: Classroom, said: Message) -> None:
        given = {name: said.get("on") is True if value is None else value for name, value in changes.items()}
        room.change(lambda now: replace(now, asked=replace(_of(now), **given)))

    return rule


def _of(now: ClassState) -> OpenQuestion:
    if now.asked is None:
        raise ClassRefused(LABELS["no_question"])
    return now.asked


def _again(room: Classroom, _said: Message) -> None:
    """Start another round of the vote; the previous round keeps its answers."""
    room.change(lambda now: replace(now, asked=OpenQuestion(n=_of(now).n, round=_of(now).round + 1), picks=()))


def _done(room: Classroom, _said: Message) -> None:
    room.change(lambda now: replace(now, asked=None, picks=()))


def _own(room: Classroom, said: Message) -> None:
    tokens = class_question_catalog.tokenize_class_text(str(said.get("text"))) if said.get("kind") == "token" else None
    ask_class(room, questions.make_question({**said, "tokens": tokens}))


def _write_on(room: Classroom, said: Message) -> None:
    """Add a word to the text that the class is writing, and ask for the next one."""
    whole = room.read()
    ask_class(room, questions.append_word_to_question(whole.questions[_of(whole.state).n], str(said.get("word"))))


def _known(room: Classroom, said: Message) -> str:
    who = str(said.get("learner"))
    if who not in room.read().learners:
        raise ClassRefused(LABELS["no_learner"])
    return who


def _rename(room: Classroom, said: Message) -> None:
    room.note(_known(room, said), name=str(said.get("name") or ""))


def _send_out(room: Classroom, said: Message) -> None:
    who = _known(room, said)
    room.note(who, is_out=1, hand=None)
    room.change(
        lambda now: replace(
            now,
            lift=None if now.lift and now.lift.learner == who else now.lift,
            picks=tuple(one for one in now.picks if one[2] != who),
        )
    )


def _lower(room: Classroom, said: Message) -> None:
    room.note(_known(room, said), hand=None)


def _lift(room: Classroom, said: Message) -> None:
    lift = ScreenShareInvitation(learner=_known(room, said)) if said.get("learner") else None
    room.change(lambda now: replace(now, lift=lift))


def _pick(room: Classroom, said: Message) -> None:
    """Choose the answers that are shown on the projector, in order."""
    told = said.get("picks")
    whole = room.read(everything=True)
    known = {(n, round_, one.learner) for (n, round_), some in whole.answers.items() for one in some}
    picks = [tuple(one) for one in told if isinstance(one, list)] if isinstance(told, list) else []
    if len(picks) > MOST_PICKS or len(set(picks)) < len(picks) or not set(picks) <= known:
        raise ClassRefused(LABELS("most_picks", most=MOST_PICKS))
    room.change(lambda now: replace(now, picks=tuple(picks)))


def _strike(room: Classroom, said: Message) -> None:
    """Remove single answers to the current question, so that they are no longer counted or shown."""
    told = said.get("learners")
    learners = {one for one in told if isinstance(one, str)} if isinstance(told, list) else set()
    now = _of(room.read().state)
    room.strike(now.n, now.round, learners)
    gone = {(now.n, now.round, one) for one in learners}
    room.change(lambda now: replace(now, picks=tuple(pick for pick in now.picks if pick not in gone)))


def _clear(room: Classroom, said: Message) -> None:
    """Free the seats of a crowd: of all who joined from one address and have never done anything, or are gone."""
    came = said.get("came")
    if not isinstance(came, str):
        raise ClassRefused(LABELS["nobody_from_there"])
    room.clear(came, are_gone=said.get("are_gone") is True)


def _end(room: Classroom, _said: Message) -> None:
    room.end()


_TEACHER: Mapping[str, TeacherRule] = {
    "mode": _mode,
    "show": _show,
    "pause": _flag("is_paused"),
    "names": _flag("has_names"),
    "lock": _flag("is_locked"),
    "ask": _own,
    "write on": _write_on,
    "open": _asked(is_open=None),
    "reveal": _asked(is_open=False, is_revealed=None),
    "hide answer": _asked(is_answered=False),
    "again": _again,
    "done": _done,
    "rename": _rename,
    "send out": _send_out,
    "strike": _strike,
    "clear": _clear,
    "lower": _lower,
    "lift": _lift,
    "pick": _pick,
    "end": _end,
    **race.TEACHER_MESSAGES,
}


def _answer(room: Classroom, who: str, said: Message, now: float) -> None:
    n, round_ = said.get("n"), said.get("round")
    if type(n) is not int or type(round_) is not int:
        raise QuestionRefused(LABELS["not_an_answer"])
    room.answer(who, n, round_, said.get("value"))
    room.note(who, seen=now, active=now)


def _hand(room: Classroom, who: str, said: Message, now: float) -> None:
    room.note(who, hand=now if said.get("up") is True else None, seen=now, active=now)


def _at(room: Classroom, who: str, said: Message, now: float) -> None:
    """Store a learner's position; sent with each change, and occasionally without one."""
    place = {"address": _address(said.get("address")), "states": str(said.get("states") or "")[:MOST_STEPS]}
    room.note(who, place=place, seen=now, **({"active": now} if said.get("is_active") is True else {}))


def _racing(do: Callable[[Classroom, str, Message], object]) -> "LearnerRule":
    """Make a learner's rule from a racer's, so that the message also counts as activity."""

    def rule(room: Classroom, who: str, said: Message, now: float) -> object:
        room.note(who, seen=now, active=now)
        return do(room, who, said)

    return rule


def _consent(room: Classroom, who: str, said: Message, now: float) -> None:
    """Answer the teacher's "may I show this to all?" with yes or no; this message says which page is shown."""
    view = None
    if said.get("yes") is True:
        view = CurrentClassPage(address=_address(said.get("address")), exhibit=_exhibit(said.get("exhibit")), by=who)

    def how(state: ClassState) -> ClassState:
        if state.lift is None or state.lift.learner != who or state.lift.is_granted:
            raise ClassRefused(LABELS["not_asked_to_show"])
        if view is None:
            return replace(state, lift=None)
        return replace(state, lift=replace(state.lift, is_granted=True), view=view)

    room.change(how)
    room.note(who, seen=now, active=now)


LearnerRule = Callable[[Classroom, str, Message, float], object]
_LEARNER: Mapping[str, LearnerRule] = {
    "answer": _answer,
    "hand": _hand,
    "at": _at,
    "consent": _consent,
    **{name: _racing(do) for name, do in race.LEARNER_MESSAGES.items()},
}
# Messages that may take a second, because they compute or read all runs of this machine.
SLOW_MESSAGES = frozenset({"ask", *race.TEACHER_MESSAGES, *race.LEARNER_MESSAGES})
