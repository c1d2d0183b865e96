"""The reveal after a question has been answered: the answer, how it was found, and why."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.lessons.answers import Answer
from core.lessons.format.forms import short, shown
from core.lessons.format.lesson import Check, Choice, Curve, Form, Number, Predict
from core.lessons.page.fields import drawn_curve
from core.ui.exhibit.panels import show_source

WRITTEN = "The author of this lesson wrote this answer; nothing was computed for it."


def show_answer(question: Predict, guess: Any, answer: Answer, key: str) -> None:
    """Draw the answer next to the guess, how it was found, the source of the function, and the explanation."""
    form = question.form
    st.markdown(verdict(form, guess, answer.value))
    if isinstance(form, Choice):
        _options(form, guess, str(answer.value))
    if isinstance(form, Curve):
        drawn_curve(
            form,
            f"{key}.revealed",
            label="The answer",
            guess=guess,
            real=[float(one) for one in answer.value],  # type: ignore[union-attr]
            takeaway=verdict(form, guess, answer.value).replace("**", ""),
        )
    if question.because:
        st.markdown(_filled(question.because, form, guess, answer.value))
    how = answer.sentence or ("It was computed just now." if question.answer else "")
    st.caption(f":material/calculate: {how}" if question.answer else f":material/edit: {WRITTEN} {how}".rstrip())
    if answer.code is not None:
        opened = st.expander("The code that computed it", icon=":material/code:", on_change="rerun", key=f"{key}.code")
        if opened.open:
            with opened:
                show_source(answer.code)


def show_check(question: Check, guess: str | None) -> None:
    """Show whether the answer to a check is right, and why."""
    form = Choice(options=question.options)
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


def show_pending(form: Form, guess: object, sentence: str) -> None:
    """Show the guess, with a note on how to get the answer, which isn't available yet."""
    st.markdown(_you_said(form, guess).strip())
    st.info(sentence, icon=":material/hourglass_empty:")
    st.caption("The answer will appear here on its own as soon as it's ready.")


def verdict(form: Form, guess: Any, value: Any) -> str:
    """Return one sentence with the guess, the answer, and the difference between them."""
    if isinstance(form, Curve):
        return _between(form, guess, value)
    right = shown(form, value)
    if guess is None:
        return f"The answer is **{right}**."
    if isinstance(form, Number):
        off = float(guess) - float(value)
        if shown(form, guess) == right:
            return f"You said **{right}**, and that's the answer."
        how = shown(form, abs(off))
        which = "high" if off > 0 else "low"
        return f"{_you_said(form, guess)}The answer is **{right}**: you were {how} too {which}."
    if str(guess) == str(value):
        return f":material/check_circle: You said **{right}**, and that's the answer."
    return f"{_you_said(form, guess)}The answer is **{right}**."


def _you_said(form: Form, guess: object) -> str:
    if guess is None:
        return ""
    return "You drew your curve. " if isinstance(form, Curve) else f"You said {shown(form, guess)}. "


def _between(form: Curve, guess: Sequence[float] | None, value: Sequence[float]) -> str:
    """Describe the distance between a drawn curve and the real one."""
    if guess is None:
        return "This is the real curve."
    gaps = [abs(g - v) for g, v in zip(guess, value, strict=True)]
    mean, worst = sum(gaps) / len(gaps), max(range(len(gaps)), key=gaps.__getitem__)
    where = f"{form.x_title} = {short(form.x[worst])}" if form.x_title else short(form.x[worst])
    return (
        f"Your curve is **{float(f'{mean:.2g}'):g}** away from the real one on average, and farthest at {where}: you "
        f"drew {short(guess[worst])}, the real value is {short(value[worst])}."
    )


def _options(form: Choice, guess: str | None, right: str, mark: str = "right answer") -> None:
    """Draw all options, with the right and the chosen one marked by words, not by color."""
    lines = []
    for name, text in form.options.items():
        marks = [mark] * (name == right) + ["your answer"] * (name == guess)
        words = f" :gray-badge[{' and '.join(marks)}]" if marks else ""
        lines.append(f"- {f'**{text}**' if name == right else text}{words}")
    st.markdown("\n".join(lines))


def _filled(text: str, form: Form, guess: object, value: object) -> str:
    """Fill `{came}` and `{guess}` into the author's text, and no other braces, because formulas have braces too."""
    said = "nothing" if guess is None else shown(form, guess)
    return text.replace("{came}", shown(form, value)).replace("{guess}", said)
