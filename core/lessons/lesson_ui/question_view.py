"""Questions on the page: a prediction, where the visitor commits before the answer is computed, and a check of reading.

Answers last for the visit. The record of a question is in the session under its place; "Try again" gives it a new turn,
whose fields have new keys and so are empty at first.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import FragmentHandledException

from core.data.localization.labels import module_labels
from core.lessons import learner_class_answers
from core.lessons.computed_answers import AnswerPending, ComputedAnswer, compute_answer
from core.lessons.format.forms import fits_form
from core.lessons.format.lesson import AnswerForm, CheckQuestion, ChoiceForm, PredictQuestion
from core.lessons.lesson_ui import answer_fields, current_homework, reveal
from core.ui import state
from core.ui.frame import errors
from core.ui.frame.element_keys import page_element_key
from core.ui.server.identity.anonymous_owner import owner_id

LABELS = module_labels(__name__)

ANSWER_REFRESH_SECONDS = 2.0  # while a run that the answer needs is training elsewhere


@dataclass(frozen=True)
class _QuestionState:
    """The state of a question."""

    turn: int = 0  # counts the tries
    is_open: bool = True  # True if nothing has been committed yet
    guess: Any = None  # the committed answer; None after "Just show me"
    came: ComputedAnswer | None = None  # the right answer, once it is computed
    waits: bool = False  # True if something has to be trained first
    problem: str = ""  # the reason why a commit was refused


def question_state(place: str) -> _QuestionState:
    """Return the record of a question."""
    return state.session_slot(_slot(place), _QuestionState)


def show_predict_question(question: PredictQuestion, place: str) -> bool:
    """Draw a prediction, and return whether it has been committed or revealed."""
    with _box("predict", place):
        every = ANSWER_REFRESH_SECONDS if question_state(place).waits else None
        st.fragment(_guarded, run_every=every)(_predict, question, place)
    return not question_state(place).is_open


def show_check_question(question: CheckQuestion, place: str) -> bool:
    """Draw a check, and return whether it has been answered."""
    with _box("check", place):
        st.fragment(_guarded)(_check, question, place)
    return not question_state(place).is_open


def _box(kind: str, place: str) -> DeltaGenerator:
    return st.container(border=True, key=page_element_key(kind, place.replace(".", "-")))


def _guarded(draw: Callable[[Any, str], None], question: PredictQuestion | CheckQuestion, place: str) -> None:
    """Draw a question, keeping its faults inside it; rerun the page if it was answered, to update the buttons."""
    before = state.session_slot(f"{_slot(place)}.drawn", lambda: (True, False))
    try:
        draw(question, place)
    except FragmentHandledException:
        raise
    except Exception as error:
        errors.show_fault(error, what="question")
        _put(place, is_open=False)
    now = (question_state(place).is_open, question_state(place).waits)
    state.set_session_slot(f"{_slot(place)}.drawn", now)
    if now != before:
        st.rerun()


def _predict(question: PredictQuestion, place: str) -> None:
    st.markdown(LABELS("predict", ask=question.ask))
    if _is_asked(question.form, place):
        return
    if question_state(place).came is None:
        with st.spinner(LABELS["computing"]):
            came = compute_answer(question)
        if isinstance(came, AnswerPending):
            _put(place, waits=True)
            reveal.show_pending_answer(question.form, question_state(place).guess, came.sentence)
            _again(place)
            return
        _put(place, came=came, waits=False)
    one = question_state(place)
    if one.came is not None:
        reveal.reveal_answer(question, one.guess, one.came, f"{place}.{one.turn}")
    _again(place)


def _check(question: CheckQuestion, place: str) -> None:
    st.markdown(LABELS("check", ask=question.ask))
    if _is_asked(ChoiceForm(options=question.options), place):
        return
    reveal.show_check_question_result(question, question_state(place).guess)
    _again(place)


def _is_asked(form: AnswerForm, place: str) -> bool:
    """Draw the field of a question if it is open, and return whether it is still open."""
    one = question_state(place)
    if one.is_open and one.turn == 0 and (guess := learner_class_answers.class_answer(owner_id(), place)) is not None:
        restore_answer(place, guess)
    elif one.is_open:
        answer_fields.show_answer_field(
            form,
            f"{place}.{one.turn}",
            commit=lambda guess: _commit(form, place, guess),
            show=lambda: _show(place),
            problem=one.problem,
        )
    return question_state(place).is_open


def _again(place: str) -> None:
    key = f"{place}.again"
    st.button(LABELS["again"], icon=":material/replay:", key=key, type="tertiary", on_click=_reset, args=(place,))


def _commit(form: AnswerForm, place: str, guess: object) -> None:
    """Commit a guess if it fits; what comes from a browser may be anything. For callbacks."""
    if guess is None or not fits_form(form, guess):
        _put(place, problem=LABELS["no_answer"])
    else:
        _put(place, is_open=False, guess=guess, problem="")
        current_homework.store_homework_answer(place, guess)


def _show(place: str) -> None:
    """Show the answer without a guess. For callbacks."""
    _put(place, is_open=False, problem="")
    current_homework.store_homework_answer(place, None)


def restore_answer(place: str, guess: object) -> None:
    """Restore the answer of an earlier visit; None: it was shown without a guess."""
    if question_state(place).is_open:
        _put(place, is_open=False, guess=guess)


def _reset(place: str) -> None:
    state.set_session_slot(_slot(place), _QuestionState(turn=question_state(place).turn + 1))


def _put(place: str, **changes: Any) -> None:
    state.set_session_slot(_slot(place), replace(question_state(place), **changes))


def _slot(place: str) -> str:
    return f"lessons.{place}"
