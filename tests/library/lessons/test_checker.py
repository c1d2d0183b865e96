"""The checker of lessons: a question that can't be answered is refused, a name that leads nowhere gets the nearest."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.data.name_suggestions import suggest_names
from core.lessons.format import catalog
from core.lessons.format.dry_run import dry_run_lesson
from core.lessons.format.forms import out_of_range_message
from core.lessons.format.lesson import ChoiceForm, CurveAnswerForm, LessonRefused, NumberForm, PredictQuestion
from core.rooms import all_exhibits, rooms

HEAD = "---\ntitle: A\nabout: B.\nminutes: 5\ntrains: c\n---\n\n## S\n\nWords.\n\n"
NUMBERS = st.floats(-1e6, 1e6)
EXHIBITS = [*all_exhibits()]
ROOMS = [Path(room.page).stem for room in rooms()]


def refusals(text: str) -> str:
    """Return the problems of a lesson."""
    try:
        catalog._check_lesson_text(HEAD + text, "one")
    except LessonRefused as refused:
        return " ".join(problem.message for problem in refused.problems)
    return ""


@given(NUMBERS, NUMBERS, NUMBERS)
def test_an_answer_outside_of_the_field_is_out_of_reach(one: float, other: float, value: float) -> None:
    """Fault: the right answer can't be typed or drawn, and the lesson passes."""
    low, high = sorted((one, other))
    inside = low <= value <= high
    assert bool(out_of_range_message(NumberForm(low=low, high=high), value)) != inside
    curve = CurveAnswerForm(x=(0.0, 1.0), low=low, high=high, x_title="", y_title="")
    assert bool(out_of_range_message(curve, (low, value))) != inside
    assert not out_of_range_message(ChoiceForm(options={"a": "b"}), "a")


@pytest.mark.parametrize(
    ("form", "right"), [("number: {low: 0, high: 10}", "21"), ("curve: {x: [0, 1], low: 0, high: 10}", "[5, 21]")]
)
def test_a_right_answer_that_nobody_can_give_is_refused(form: str, right: str) -> None:
    """Fault: the author's own answer lies outside of the field."""
    text = f"```predict\nask: How many?\n{form}\nright: {right}\n```\n"
    assert "The answer is 21, which can't be given from low: 0 to high: 10." in refusals(text)
    assert not refusals(text.replace("21", "9"))


def test_a_computed_answer_that_nobody_can_give_is_refused() -> None:
    """Fault: the answer is computed, and the trial looks only whether there is one."""
    text = (
        "```exhibit masks.draw-your-own\n```\n\n```predict\nask: How many?\nnumber: {low: 0, high: HIGH}\n"
        "answer: (1, 20)|sum\n```\n"
    )
    for high, said in (("10", ["The answer is 21, which can't be given from low: 0 to high: 10."]), ("30", [])):
        lesson = catalog._check_lesson_text(HEAD + text.replace("HIGH", high), "one")
        assert any(isinstance(part, PredictQuestion) for part in lesson.steps[0].parts)
        assert [one.message for one in dry_run_lesson(lesson)[0]] == said


SLIPS: dict[str, Callable[[str, random.Random], str]] = {
    "capitals": lambda name, _: name.upper(),
    "underscores": lambda name, _: name.replace("-", "_"),
    "another room": lambda name, _: f"room.{name.partition('.')[2]}",
    "no room": lambda name, _: name.partition(".")[2],
    "a letter less": lambda name, lot: name.replace(lot.choice(name.partition(".")[2]), "", 1),
    "two letters changed": lambda name, lot: re.sub(r"(\w)(\w)$", r"\2\1", name) + lot.choice("abc"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_name_gets_the_name(slip: str) -> None:
    """Fault: an exhibit's name that doesn't exist is refused without the one that was meant."""
    lot = random.Random(slip)
    typed = {SLIPS[slip](name, lot): name for name in EXHIBITS}
    unknown = {one: name for one, name in typed.items() if one not in EXHIBITS}
    found = [name in suggest_names(one, EXHIBITS) for one, name in unknown.items()]
    assert len(found) > 50 and sum(found) > 0.95 * len(found)
    first, meant = next((one, name) for one, name in unknown.items() if name in suggest_names(one, EXHIBITS))
    assert meant in refusals(f"```exhibit {first}\n```\n")


@pytest.mark.parametrize("room", ROOMS)
def test_a_link_to_a_room_that_is_not_there_gets_the_nearest(room: str) -> None:
    """Fault: a link with a slip leads to a page that isn't there."""
    assert not refusals(
        f"See [it]({room}) and [that](/{room}?layer=1), `a[0](x)`, [here](#a), [there](https://a.example/b)."
    )
    said = refusals(f"See\n[it]({room}x).")
    assert f"There is no room '{room}x' to link to." in said and room in said.partition("Did you mean")[2]


def test_a_name_in_the_code_gets_the_nearest() -> None:
    """Fault: a function's name with a slip is refused without the one that was meant."""
    assert "Did you mean causal" in refusals("```code core.nn.masks:casual\n```\n")
