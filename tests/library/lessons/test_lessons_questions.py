"""Questions of lessons: what fits as an answer, how far a guess is from what came, what counts as done."""

import math

import pytest

from core.lessons.format.forms import answer_text, fits_form, readable_number
from core.lessons.format.lesson import ChoiceForm, CurveAnswerForm, NumberForm
from core.lessons.lesson_ui import answer_fields, conditions, reveal
from core.lessons.lesson_ui.conditions import StepBaseline
from core.ui.controls.drawn_controls import ControlState

CHOICE = ChoiceForm(options={"a": "one", "2": "two"})
NUMBER = NumberForm(low=0, high=100, unit="%")
CURVE = CurveAnswerForm(x=(1, 2, 4), low=0, high=1, x_title="step", y_title="loss")


def asked(**values: object) -> dict[str, ControlState]:
    """Controls of a page, each written as its value."""
    return {name.replace("__", "."): ControlState(name, value, (str(value),), False) for name, value in values.items()}


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        (CHOICE, "a", True), (CHOICE, 2, True), (CHOICE, "b", False), (CHOICE, None, False), (CHOICE, ["a"], False),
        (NUMBER, 3, True), (NUMBER, math.nan, False), (NUMBER, "3", False), (NUMBER, True, False),
        (NUMBER, None, False), (CURVE, [0, 1, 0.5], True), (CURVE, [0, 1], False), (CURVE, [0, 1, math.inf], False),
        (CURVE, "abc", False), (CURVE, {"a": 1, "b": 2, "c": 3}, False), (CURVE, None, False),
    ],
)  # fmt: skip
def test_what_fits_as_an_answer(form: ChoiceForm | NumberForm | CurveAnswerForm, value: object, expected: bool) -> None:
    assert fits_form(form, value) is expected


def test_numbers_are_written_as_people_do() -> None:
    written = [readable_number(v) for v in (21.0, 0.35, 1024.0, 12345.67, 1e-7, 2e20, -0.5, 0.0)]
    assert written == ["21", "0.35", "1,024", "12,345.7", "1.0·10⁻⁷", "2.0·10²⁰", "−0.5", "0"]
    assert answer_text(NUMBER, 12) == "12%" and answer_text(NumberForm(low=0, high=1, unit="nats"), 0.5) == "0.5 nats"


def test_the_verdict_tells_how_far_apart_they_are() -> None:
    assert reveal._verdict_text(NUMBER, 30, 21) == "You said 30%. The answer is **21%**: you were 9% too high."
    assert reveal._verdict_text(NUMBER, 21.0, 21) == "You said **21%**, and that's the answer."
    assert reveal._verdict_text(NUMBER, None, 21) == "The answer is **21%**."
    assert reveal._verdict_text(CHOICE, "a", "2") == "You said one. The answer is **two**."
    assert "that's the answer" in reveal._verdict_text(CHOICE, "2", 2)
    said = reveal._verdict_text(CURVE, (0, 1, 1), (0.3, 1, 0.4))
    assert "**0.3** away" in said and "at step = 4: you drew 1, the real value is 0.4" in said
    assert reveal._verdict_text(CURVE, None, (0, 0, 0)) == "This is the real curve."


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ({"heights": [0, 0.5, 2]}, (0.0, 0.5, 1.0)), ({"heights": [0, 0.5]}, None), ({"heights": [0, None, 1]}, None),
        ({"heights": [0, math.nan, 1]}, None), ({"heights": "abc"}, None), ({"heights": [True, 0, 1]}, None),
        ("abc", None), (None, None),
    ],
)  # fmt: skip
def test_a_drawn_curve_is_checked(drawn: object, expected: tuple[float, ...] | None) -> None:
    assert answer_fields._parse_curve(drawn, 3, 0, 1) == expected


def test_a_curve_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="2 heights for 3 places"):
        answer_fields.curve_sketch_input(
            CurveAnswerForm(x=(1, 2, 3), low=0, high=1, x_title="", y_title=""), "k", label="", guess=(1, 2)
        )


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("temp < 0.3", True), ("temp < 0.2", False), ("temp >= 0.25", True), ("temp != 1", True),
        ("kind = causal", True), ("kind = 'causal'", True), ("kind != causal", False), ("kind < 3", False),
        ("flag = true", True), ("flag = 1", False), ("several = a, b", True), ("several = a", False),
        ("bare = 3", True), ("nothing = 3", False), ("nothing != 3", False),
        ("temp < 0.3 and kind = causal", True), ("temp < 0.3 and kind = full", False),
    ],
)  # fmt: skip
def test_conditions_on_controls(when: str, expected: bool) -> None:
    now = asked(s2__temp=0.25, s2__kind="causal", s2__flag=True, bare=3)
    now["s2.several"] = ControlState("several", ("a", "b"), ("a", "b"), False)
    assert conditions.lesson_condition_problem(when) is None or "<" in when
    assert conditions.is_condition_met(when, "s2.", now, StepBaseline()) is expected


def test_changed_counts_from_the_first_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    address: dict[str, str] = {}
    monkeypatch.setattr("streamlit.query_params", address)
    since = StepBaseline()
    since.note_new(asked(s1__head=0))
    assert not conditions.is_condition_met("changed head", "s1.", asked(s1__head=0), since)
    assert not conditions.is_condition_met("changed head and changed drawn", "s1.", asked(s1__head=0), since)
    address["drawn"] = "x"
    assert not conditions.is_condition_met("changed head and changed drawn", "s1.", asked(s1__head=0), since)
    assert conditions.is_condition_met("changed head and changed drawn", "s1.", asked(s1__head=2), since)
    assert conditions.is_condition_met("changed late", "s1.", asked(s1__late=1), since) is False
    assert conditions.is_condition_met("changed late", "s1.", asked(s1__late=2), since)


def test_clicked_counts_from_the_first_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: dict[str, object] = {"heads.grid": ("old",)}
    monkeypatch.setattr("core.ui.controls.picks.last_pick", chosen.get)
    since = StepBaseline()
    assert not conditions.is_condition_met("clicked heads.grid", "", {}, since)
    chosen["heads.grid"] = ("new",)
    assert conditions.is_condition_met("clicked heads.grid", "", {}, since)
