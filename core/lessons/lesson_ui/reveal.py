"""The reveal after a question has been answered: the answer, how it was found, and why."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

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

WRITTEN_BY_AUTHOR = "The author of this lesson wrote this answer; nothing was computed for it."


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
            label="The answer",
            guess=guess,
            real=[float(one) for one in answer.value],  # type: ignore[union-attr]
            takeaway=_verdict_text(form, guess, answer.value).replace("**", ""),
        )
    if question.because:
        st.markdown(_filled(question.because, form, guess, answer.value))
    how = answer.sentence or ("It was computed just now." if question.answer else "")
    st.caption(
        f":material/calculate: {how}" if question.answer else f":material/edit: {WRITTEN_BY_AUTHOR} {how}".rstrip()
    )
    if answer.code is not None:
        opened = st.expander("The code that computed it", icon=":material/code:", on_change="rerun", key=f"{key}.code")
        if opened.open:
            with opened:
                show_source(answer.code)


def show_check_question_result(question: CheckQuestion, guess: str | None) -> None:
    """Show whether the answer to a check is right, and why."""
    form = ChoiceForm(options=question.options)
    right = question.options[question.right]
    if guess == question.right:
        st.markdown(f":material/check_circle: **Yes:** {right}")
    else:
        end = "" if right.rstrip()[-1:] in ".?!" else "."
        st.markdown(f"{_you_said(form, guess)}The answer: **{right}**{end}")
    _options(form, guess, question.right, "right")
    for text in (question.why.get(guess or "", ""), question.because):
        if text:
            st.markdown(text)


def show_pending_answer(form: AnswerForm, guess: object, sentence: str) -> None:
    """Show the guess, with a note on how to get the answer, which isn't available yet."""
    st.markdown(_you_said(form, guess).strip())
    st.info(sentence, icon=":material/hourglass_empty:")
    st.caption("The answer will appear here on its own as soon as it's ready.")


def _verdict_text(form: AnswerForm, guess: Any, value: Any) -> str:
    """Return one sentence with the guess, the answer, and the difference between them."""
    if isinstance(form, CurveAnswerForm):
        return _between(form, guess, value)
    right = answer_text(form, value)
    if guess is None:
        return f"The answer is **{right}**."
    if isinstance(form, NumberForm):
        off = float(guess) - float(value)
        if answer_text(form, guess) == right:
            return f"You said **{right}**, and that's the answer."
        how = answer_text(form, abs(off))
        which = "high" if off > 0 else "low"
        return f"{_you_said(form, guess)}The answer is **{right}**: you were {how} too {which}."
    if str(guess) == str(value):
        return f":material/check_circle: You said **{right}**, and that's the answer."
    return f"{_you_said(form, guess)}The answer is **{right}**."


def _you_said(form: AnswerForm, guess: object) -> str:
    if guess is None:
        return ""
    return "You drew your curve. " if isinstance(form, CurveAnswerForm) else f"You said {answer_text(form, guess)}. "


def _between(form: CurveAnswerForm, guess: Sequence[float] | None, value: Sequence[float]) -> str:
    """Describe the distance between a drawn curve and the real one."""
    if guess is None:
        return "This is the real curve."
    gaps = [abs(g - v) for g, v in zip(guess, value, strict=True)]
    mean, worst = sum(gaps) / len(gaps), max(range(len(gaps)), key=gaps.__getitem__)
    where = f"{form.x_title} = {readable_number(form.x[worst])}" if form.x_title else readable_number(form.x[worst])
    return (
        f"Your curve is **{float(f'{mean:.2g}'):g}** away from the real one on average, and farthest at {where}: you "
        f"drew {readable_number(guess[worst])}, the real value is {readable_number(value[worst])}."
    )


def _options(form: ChoiceForm, guess: str | None, right: str, mark: str = "right answer") -> None:
    """Draw all options, with the right and the chosen one marked by words, not by color."""
    lines = []
    for name, text in form.options.items():
        marks = [mark] * (name == right) + ["your answer"] * (name == guess)
        words = f" :gray-badge[{' and '.join(marks)}]" if marks else ""
        lines.append(f"- {f'**{text}**' if name == right else text}{words}")
    st.markdown("\n".join(lines))


def _filled(text: str, form: AnswerForm, guess: object, value: object) -> str:
    """Fill `{came}` and `{guess}` into the author's text, and no other braces, because formulas have braces too."""
    said = "nothing" if guess is None else answer_text(form, guess)
    return text.replace("{came}", answer_text(form, value)).replace("{guess}", said)
