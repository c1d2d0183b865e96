"""Questions of a lesson: a prediction that a computation answers, and a check of what was read."""

import streamlit as st

from core.lessons.answers import ANSWERS, Answer, NotYet
from core.lessons.lesson import Check, Choice, Predict
from core.ui import state
from core.ui.text import escape_markdown


def predict(question: Predict, place: str) -> bool:
    """Draw a prediction; whether it has been answered or revealed."""
    guess = state.slot(f"{place}.guess", lambda: None)
    with st.container(border=True, key=f"predict-{place.replace('.', '-')}"):
        st.markdown(f"**Predict.** {question.ask}")
        if isinstance(question.form, Choice):
            options = question.form.options
            chosen = st.radio(
                "Your prediction",
                list(options),
                index=None,
                format_func=lambda one: options[one],
                key=f"{place}.radio",
                label_visibility="collapsed",
            )
            if chosen is None:
                return False
            guess = chosen
        else:
            return False
        came = ANSWERS[question.answer](**question.given) if question.answer else Answer(question.right, "")
        if isinstance(came, NotYet):
            st.info(came.sentence)
            return True
        st.markdown(f"You said: {guess}. What came: **{came.value}**. {came.sentence} {question.because}")
    return True


def check(question: Check, place: str) -> bool:
    """Draw a check; whether it has been answered."""
    with st.container(border=True, key=f"check-{place.replace('.', '-')}"):
        st.markdown(f"**Check.** {question.ask}")
        chosen = st.radio(
            "Your answer",
            list(question.options),
            index=None,
            format_func=lambda one: question.options[one],
            key=f"{place}.radio",
            label_visibility="collapsed",
        )
        if chosen is None:
            return False
        st.markdown(
            "Yes. " + question.because
            if chosen == question.right
            else f"It is: {escape_markdown(question.options[question.right])}. {question.because}"
        )
    return True
