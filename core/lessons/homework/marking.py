"""Marking of receipts: each answer is compared with the computed one, and each run with a repetition of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.lessons.computed_answers import AnswerPending, compute_answer
from core.lessons.format import catalog
from core.lessons.format.forms import fits_form, is_right_answer
from core.lessons.format.lesson import AnswerForm, CheckQuestion, ChoiceForm, PredictQuestion
from core.lessons.homework.answer_store import StoredAnswer
from core.lessons.homework.receipt import Receipt

LABELS = module_labels(__name__)

MOST_NUMBERS = 40
NEAR_TOLERANCE = 0.05  # different processors add in different orders, and in a long run the difference grows
# Of them, "unreadable" isn't an answer to the question.
AnswerVerdict = Literal["right", "wrong", "answered", "shown", "open", "unreadable"]


@dataclass(frozen=True)
class MarkedQuestion:
    """One question of the lesson, with the right answer, the learner's answers, and the verdict on the first one."""

    place: str
    is_prediction: bool
    form: AnswerForm
    right: object
    said: StoredAnswer | None
    verdict: AnswerVerdict


def mark_receipt(receipt: Receipt) -> list[MarkedQuestion]:
    """Mark every question of the lesson, answered or not. It may take seconds the first time.

    Raises ValueError: if there is no such lesson.
    """
    lesson = catalog.catalog_lessons().get(receipt.given.lesson)
    if lesson is None:
        raise ValueError(LABELS["no_lesson"])
    said = {one.place: one for one in receipt.said}
    found = []
    for number, step in enumerate(lesson.steps, 1):
        for i, part in enumerate(step.parts):
            if isinstance(part, PredictQuestion | CheckQuestion):
                place = f"{number}.{i}"
                form: AnswerForm = ChoiceForm(options=part.options) if isinstance(part, CheckQuestion) else part.form
                right = _right_answer(lesson.slug, number, i)
                one = said.get(place)
                found.append(
                    MarkedQuestion(
                        place, isinstance(part, PredictQuestion), form, right, one, _verdict(form, right, one)
                    )
                )
    return found


@lru_cache(maxsize=1024)
def _right_answer(slug: str, number: int, i: int) -> object:
    """Return the right answer, written by the lesson's author or computed from the example; None if unknown."""
    part = catalog.catalog_lessons()[slug].steps[number - 1].parts[i]
    if isinstance(part, CheckQuestion):
        return part.right
    assert isinstance(part, PredictQuestion)
    came = compute_answer(part, is_rehearsed=True)
    return None if isinstance(came, AnswerPending) else came.value


def _verdict(form: AnswerForm, right: object, said: StoredAnswer | None) -> AnswerVerdict:
    if said is None:
        return "open"
    if said.first is None:
        return "shown"
    if not fits_form(form, said.first):
        return "unreadable"
    found = is_right_answer(form, right, said.first)
    return "answered" if found is None else "right" if found else "wrong"


def curve_endpoints(record: Mapping[str, NDArray[np.generic]]) -> dict[str, float]:
    """Return the first and the last value of each curve that an experiment has recorded."""
    curves = {
        name: array
        for name, array in sorted(record.items())
        if not name.startswith(("model.", "seconds.")) and array.dtype.kind == "f" and array.ndim == 1 and array.size
    }
    found = {}
    for name, array in list(curves.items())[: MOST_NUMBERS // 2]:
        for at, number in ((" at first", array[0]), ("", array[-1])):
            if np.isfinite(number):
                found[name + at] = float(number)
    return found


def loss_curve_endpoints(losses: Sequence[tuple[int, float]]) -> dict[str, float]:
    """Return the numbers of a run in the studio from its (step, validation loss), in order."""
    return curve_endpoints({"validation loss": np.array([loss for _, loss in losses])})


def compare_rerun_numbers(
    told: Mapping[str, float], again: Mapping[str, float]
) -> Literal["same", "nearly_same", "other"]:
    """Compare the numbers of a run with those of a repetition of it."""
    if not told or told.keys() != again.keys():
        return "other"
    pairs = [(told[name], again[name]) for name in told]
    if all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in pairs):
        return "same"
    is_near = all(math.isclose(a, b, rel_tol=NEAR_TOLERANCE) for a, b in pairs)
    return "nearly_same" if is_near else "other"
