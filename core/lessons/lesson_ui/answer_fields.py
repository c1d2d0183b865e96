"""The fields for answering a question. An answer is committed by a button, so never by accident."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

import streamlit as st

from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.lessons.format.forms import readable_number
from core.lessons.format.lesson import AnswerForm, ChoiceForm, CurveAnswerForm, NumberForm
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

CommitAnswer = Callable[[object], None]


def show_answer_field(
    form: AnswerForm, key: str, *, commit: CommitAnswer, show: Callable[[], None], problem: str
) -> None:
    """Draw the field of a question, with a key that is new for each try.

    Args:
        commit: called with the answer, or None if there is none.
        show: called if the visitor doesn't want to answer.
        problem: the reason why the last commit was refused, or "".
    """
    if isinstance(form, CurveAnswerForm):
        _draw(form, key, commit, show)
        return
    field = f"{key}.field"
    with st.form(f"{key}.form", border=False):
        if isinstance(form, ChoiceForm):
            st.radio(
                LABELS["prediction"],
                list(form.options),
                index=None,
                format_func=lambda one: form.options[one],
                key=field,
                label_visibility="collapsed",
            )
        else:
            _number(form, field)
        if problem:
            st.caption(f":material/info: {problem}")
        with st.container(horizontal=True):
            st.form_submit_button(
                LABELS["commit"],
                type="primary",
                key=f"{key}.commit",
                on_click=lambda: commit(st.session_state.get(field)),
            )
            st.form_submit_button(LABELS["show"], type="tertiary", key=f"{key}.show", on_click=show)


def _number(form: NumberForm, field: str) -> None:
    low, high = readable_number(form.low), readable_number(form.high)
    key = "prediction.unit" if form.unit else "prediction.number"
    st.number_input(
        LABELS(key, unit=form.unit, low=low, high=high),
        form.low,
        form.high,
        None,
        _step(form),
        "%g",
        key=field,
        placeholder=LABELS["a_number"],
        width=360,
    )


def _step(form: NumberForm) -> float:
    """Return a step of at most a fiftieth of the range: 1, 2 or 5 times a power of ten."""
    raw = (form.high - form.low) / 50
    power = 10.0 ** math.floor(math.log10(raw))
    return next(m * power for m in (5, 2, 1) if m * power <= raw * (1 + 1e-9))


def _draw(form: CurveAnswerForm, key: str, commit: CommitAnswer, show: Callable[[], None]) -> None:
    heights = curve_sketch_input(form, f"{key}.field", label=LABELS["draw"])
    if heights is not None:
        commit(heights)
        return
    st.button(LABELS["show"], key=f"{key}.show", type="tertiary", on_click=show)


def curve_sketch_input(
    form: CurveAnswerForm,
    key: str,
    *,
    label: str,
    takeaway: str = "",
    guess: Sequence[float] | None = None,
    real: Sequence[float] | None = None,
) -> tuple[float, ...] | None:
    """Draw a field for a curve, drawn by dragging or point by point with the keys, without requests to the server.

    With `real`, show that curve instead, with the guess on top of it.

    Args:
        guess: heights that were drawn before.
        real: heights, which may be outside the form's range.

    Returns:
        One height for each place, within the form's range; None until it has been committed.

    Raises:
        ValueError: if the lengths differ.
    """
    n = len(form.x)
    for name, heights in (("guess", guess), ("real", real)):
        if heights is not None and len(heights) != n:
            raise ValueError(f"{name} has {len(heights)} heights for {n} places")
    header = {"widget": "drawn_curve", "label": label, "takeaway": takeaway, **asdict(form)}
    header |= {"guess": _numbers(guess), "real": _numbers(real)}
    state = mount("drawn_curve", key, pack_message(header, {}), drawn=None)
    return _parse_curve(state["drawn"], n, form.low, form.high)


def _numbers(heights: Sequence[float] | None) -> list[float] | None:
    return None if heights is None else [float(one) for one in heights]


def _parse_curve(drawn: object, n: int, low: float, high: float) -> tuple[float, ...] | None:
    """Return a committed curve, or None if this value from a browser, which may be anything, isn't one."""
    heights = drawn.get("heights") if isinstance(drawn, Mapping) else None
    if not isinstance(heights, list) or len(heights) != n:
        return None
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in heights):
        return None
    return tuple(min(max(float(one), low), high) for one in heights)
