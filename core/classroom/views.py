"""The views of a class that are sent to its three screens: a learner's, the projector's, and the teacher's desk.

The views for learners and the projector contain no names and no single answers, unless the teacher shows them, and no
counts of answers before these are revealed.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict

from core.classroom import seats
from core.classroom.question_types import questions
from core.classroom.state import ClassSnapshot, Learner, LearnerAnswer, OpenQuestion
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

INACTIVE_SECONDS = 120.0
CROWD, CROWD_SECONDS = 20, 120.0  # joins this fast may come from one person who wants to fill the class
ClassView = dict[str, object]


def learner_view(whole: ClassSnapshot, who: str) -> ClassView:
    """Return the view for one learner."""
    now, me = whole.state, whole.learners[who]
    mine = {one.learner: one for one in _answers(whole, now.asked)}.get(who)
    question = _question(whole, now.asked)
    if question is not None:
        question |= {"mine": None if mine is None else mine.value, "is_late": mine is not None and mine.is_late}
        if now.asked and now.asked.is_answered and mine is not None:
            question["is_right"] = questions.is_right_class_answer(whole.questions[now.asked.n], mine.value)
    board, at = whole.board
    return _for_all(whole) | {
        "n_learner": len(whole.present),
        "board": {"key": board, "address": at},
        "name": me.name,
        "hand": me.hand is not None,
        "question": question,
        "may_show": now.lift is not None and now.lift.learner == who and not now.lift.is_granted,
    }


def projector_view(whole: ClassSnapshot) -> ClassView:
    """Return the view for the projector."""
    now = whole.state
    names = {one.id: one.name for one in whole.present} if now.has_names else {}
    question = _question(whole, now.asked)
    if question is not None:
        question["n_answered"] = len(_answers(whole, now.asked))
    return _for_all(whole) | {
        "n_learner": len(whole.present),
        "question": question,
        "names": sorted(names.values()),
        "picks": [
            {"value": one.value, "name": names.get(who, ""), "form": _form(whole, n)}
            for n, round_, who in now.picks
            for one in whole.answers.get((n, round_), ())
            if one.learner == who
        ],
        "from_learner": names.get(now.view.by, LABELS["a_learner"]) if now.view.by in whole.learners else "",
    }


def desk_view(whole: ClassSnapshot, at: float) -> ClassView:
    """Return the view for the teacher's desk, which shows everything.

    Args:
        at: the current time, by which learners are inactive or gone.
    """
    now = whole.state
    question = _question(whole, now.asked, is_desk=True)
    answers = {one.learner: one for one in _answers(whole, now.asked)}
    asked = whole.questions[now.asked.n] if now.asked else None
    return _for_all(whole) | {
        "question": question,
        "has_names": now.has_names,
        "is_locked": now.is_locked,
        "picks": now.picks,
        "lift": None if now.lift is None else asdict(now.lift),
        "learners": [_cell(one, answers.get(one.id), asked, at) for one in whole.present],
        "crowds": _crowds(whole, at),
    }


def _crowds(whole: ClassSnapshot, at: float) -> list[ClassView]:
    """List addresses from which many have joined in the last two minutes (in a full class: ever), the most first."""
    is_full = len(whole.present) >= seats.MOST_SEATS
    counted = Counter(one.came for one in whole.present if is_full or one.joined > at - CROWD_SECONDS)
    return [{"came": came, "n": n, "is_full": is_full} for came, n in counted.most_common() if n >= CROWD]


def _for_all(whole: ClassSnapshot) -> ClassView:
    now = whole.state
    by = "learner" if now.view.by in whole.learners else now.view.by
    return {
        "code": whole.code,
        "mode": now.mode,
        "first": now.first,
        "last": now.last,
        "is_paused": now.is_paused,
        "view": {**asdict(now.view), "by": by},
    }


def _cell(one: Learner, answer: LearnerAnswer | None, asked: questions.ClassQuestion | None, at: float) -> ClassView:
    """Return a learner's cell in the grid of the desk."""
    told: ClassView = {"id": one.id, "name": one.name, "hand": one.hand, **one.place}
    told["is_gone"] = at - one.seen > seats.GONE_SECONDS
    told["is_still"] = at - one.active > INACTIVE_SECONDS
    if answer is not None and asked is not None:
        told |= {
            "value": answer.value,
            "is_late": answer.is_late,
            "is_right": questions.is_right_class_answer(asked, answer.value),
        }
    return told


def _question(whole: ClassSnapshot, asked: OpenQuestion | None, *, is_desk: bool = False) -> ClassView | None:
    """Return the current question, with the answers of each round only if they are revealed or for the desk."""
    if asked is None:
        return None
    one = whole.questions[asked.n]
    told: ClassView = {**asdict(asked), "ask": one.ask, "form": _form(whole, asked.n), "source": one.source}
    told |= {"rounds": [], "answer": None}
    if asked.is_revealed or is_desk:
        told["rounds"] = [
            questions.count_answers(one.form, [answer.value for answer in whole.answers.get((asked.n, round_), ())])
            for round_ in range(1, asked.round + 1)
        ]
    if asked.is_answered or (is_desk and (one.right is not None or one.told)):
        told["answer"] = {"right": one.right, "told": one.told}
    if is_desk:
        told["n_answered"] = len(_answers(whole, asked))
    return told


def _form(whole: ClassSnapshot, n: int) -> Mapping[str, object]:
    form = whole.questions[n].form
    told = {"kind": questions.form_kind(form), **asdict(form)}
    return {name: value for name, value in told.items() if name != "seed"}  # it would give the rest of the story away


def _answers(whole: ClassSnapshot, asked: OpenQuestion | None) -> tuple[LearnerAnswer, ...]:
    return () if asked is None else whole.answers.get((asked.n, asked.round), ())
