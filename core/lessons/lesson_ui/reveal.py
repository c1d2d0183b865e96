"""The reveal after a question has been answered: the answer, how it was found, and why."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.data.localization.labels import module_labels
from core.lessons.computed_answers import ComputedAnswer
from core.lessons.format.forms import answer_text, readable_number
from core.lessons.format.lesson import (
    AnswerForm,
    CheckQuestion,
    ChoiceForm,
    CurveAnswerForm,
    NumberForm,
    PredictQuestion,
)
from core.lessons.lesson_ui.answer_fields import curve_sketch_input
from core.ui.exhibit.exhibit_panels import show_source

LABELS = module_labels(__name__)

WRITTEN_BY_AUTHOR = LABELS["written_by_author"]


def reveal_answer(question: PredictQuestion, guess: Any, answer: ComputedAnswer, key: str) -> None:
    """Draw the answer next to the guess, how it was found, the source of the function, and the explanation."""
    form = question.form
    st.markdown(_verdict_text(form, guess, answer.value))
    if isinstance(form, ChoiceForm):
        _options(form, guess, str(answer.value))
    if isinstance(form, CurveAnswerForm):
        curve_sketch_input(
            form,
            f"{key}.revealed",
            label=LABELS["answer"],
            guess=guess,
            real=[float(one) for one in answer.value],  # type: ignore[union-attr]
            takeaway=_verdict_text(form, guess, answer.value).replace("**", ""),
        )
    if question.because:
        st.markdown(_filled(question.because, form, guess, answer.value))
    how = answer.sentence or (LABELS["computed_now"] if question.answer else "")
    st.caption(
        f":material/calculate: {how}" if question.answer else f":material/edit: {WRITTEN_BY_AUTHOR} {how}".rstrip()
    )
    if answer.code is not None:
        opened = st.expander(LABELS["code"], icon=":material/code:", on_change="rerun", key=f"{key}.code")
        if opened.open:
            with opened:
                show_source(answer.code)


def show_check_question_result(question: CheckQuestion, guess: str | None) -> None:
    """Show whether the answer to a check is right, and why."""
    form = ChoiceForm(options=question.options)
    right = question.options[question.right]
    if guess == question.right:
        st.markdown(f":material/check_circle: {LABELS('yes', answer=right)}")
    else:
        end = "" if right.rstrip()[-1:] in ".?!" else "."
        st.markdown(_after_guess(form, guess, LABELS("the_answer", answer=right) + end))
    _options(form, guess, question.right, "right")
    for text in (question.why.get(guess or "", ""), question.because):
        if text:
            st.markdown(text)


def show_pending_answer(form: AnswerForm, guess: object, sentence: str) -> None:
    """Show the guess, with a note on how to get the answer, which isn't available yet."""
    st.markdown(_you_said(form, guess))
    st.info(sentence, icon=":material/hourglass_empty:")
    st.caption(LABELS["pending"])


def _verdict_text(form: AnswerForm, guess: Any, value: Any) -> str:
    """Return one sentence with the guess, the answer, and the difference between them."""
    if isinstance(form, CurveAnswerForm):
        return _between(form, guess, value)
    right = answer_text(form, value)
    if guess is None:
        return LABELS("answer_is", right=right)
    if isinstance(form, NumberForm):
        off = float(guess) - float(value)
        if answer_text(form, guess) == right:
            return LABELS("said_right", right=right)
        key = "too_high" if off > 0 else "too_low"
        return _after_guess(form, guess, LABELS(key, right=right, difference=answer_text(form, abs(off))))
    if str(guess) == str(value):
        return f":material/check_circle: {LABELS('said_right', right=right)}"
    return _after_guess(form, guess, LABELS("answer_is", right=right))


def _you_said(form: AnswerForm, guess: object) -> str:
    if guess is None:
        return ""
    if isinstance(form, CurveAnswerForm):
        return LABELS["you_drew"]
    return LABELS("you_said", guess=answer_text(form, guess))


def _after_guess(form: AnswerForm, guess: object, sentence: str) -> str:
    """Put what the visitor said before a sentence."""
    return f"{_you_said(form, guess)} {sentence}".lstrip()


def _between(form: CurveAnswerForm, guess: Sequence[float] | None, value: Sequence[float]) -> str:
    """Describe the distance between a drawn curve and the real one."""
    if guess is None:
        return LABELS["real_curve"]
    gaps = [abs(g - v) for g, v in zip(guess, value, strict=True)]
    mean, worst = sum(gaps) / len(gaps), max(range(len(gaps)), key=gaps.__getitem__)
    where = f"{form.x_title} = {readable_number(form.x[worst])}" if form.x_title else readable_number(form.x[worst])
    drawn, real = readable_number(guess[worst]), readable_number(value[worst])
    return LABELS("distance", mean=float(f"{mean:.2g}"), place=where, drawn=drawn, real=real)


def _options(form: ChoiceForm, guess: str | None, right: str, mark: str = "right_answer") -> None:
    """Draw all options, with the right and the chosen one marked by words, not by color; `mark`: key of the words."""
    lines = []
    for name, text in form.options.items():
        key = f"mark.{mark}.yours" if name == right == guess else f"mark.{mark}" if name == right else "mark.yours"
        words = f" :gray-badge[{LABELS[key]}]" if name in (right, guess) else ""
        lines.append(f"- {f'**{text}**' if name == right else text}{words}")
    st.markdown("\n".join(lines))


def _filled(text: str, form: AnswerForm, guess: object, value: object) -> str:
    """Fill `{came}` and `{guess}` into the author's text, and no other braces, because formulas have braces too."""
    said = LABELS["nothing"] if guess is None else answer_text(form, guess)
    return text.replace("{came}", answer_text(form, value)).replace("{guess}", said)
