"""Options and answers: no answer is outside of the options, and no option is out of reach, unless it's a distractor."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.exhibit import Inputs
from core.lessons import __main__ as command
from core.lessons.computed_answers import compute_answer
from core.lessons.format import catalog, possible_answers
from core.lessons.format.lesson import ChoiceForm, PredictQuestion
from core.lessons.format.parser import lesson_slug, parse_lesson
from core.rooms import all_exhibits
from tests.library.lessons.asked import questions
from tests.library.lessons.test_lessons_read import HEAD, STEP, problems

ASK = "```predict\nask: A?\noptions: {{{options}}}\nexhibit: {exhibit}\nanswer: >-\n  {answer}\n{more}```\n"


def asked(
    answer: str, options: str = "a: x, b: y", exhibit: str = "masks.kinds-of-masks", more: str = ""
) -> PredictQuestion:
    text = STEP + ASK.format(options=options, exhibit=exhibit, answer=answer, more=more)
    (part,) = parse_lesson(text, "one").steps[0].parts
    assert isinstance(part, PredictQuestion)
    return part


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('"a" if mask.sum() > 3 else "b"', "ab"),
        ('"a" if mask.sum() > 3 else "b" if mask.any() else "c"', "abc"),
        ('({"a": 1, "b": mask.sum()}|dictsort(by="value"))[0][0]', "ab"),
        ('(by_name("a", "b")|dictsort(by="value"))[-1][0]', "ab"),
        ('{1: "a", 2: "b"}.get(mask.sum(), "c")', "abc"),
        ('{1: "a", 2: "b"}[mask.sum()]', "ab"),
        ('["a", "b"][mask.argmax()]', "ab"),
        ('said if said in ("a", "b") else "c"', "abc"),
        ('said|string if said in ("a", "b") else "c"', "abc"),
        ('"a"', "a"),
        ("mask.sum()", None),
        ('said if said in given else "c"', None),
        ('said if other in ("a", "b") else "c"', None),
        ('(mask|dictsort(by="value"))[0][0]', None),
        ('(rows|dictsort(by="value"))[0][1]', None),
        ("nothing_like_it", None),
        ('"a" if mask.any()', None),
    ],
)
def test_which_options_an_expression_may_give(answer: str, found: str | None) -> None:
    assert possible_answers._possible_answers(asked(answer)) == (None if found is None else frozenset(found))


def test_fields_with_a_type_say_it_themselves() -> None:
    """A field, a field of what a method returns, and what can be guessed in a room."""
    assert possible_answers._possible_answers(asked("nearest", exhibit="steps.soft-look-up")) == {
        "best",
        "mean",
        "nothing",
    }
    number = "masks.number-for-minus-infinity"
    empty = asked('one("−1e9", "float32").outcome', exhibit=number)
    assert possible_answers._possible_answers(empty) == {"nan", "zeros", "even", "other"}
    assert possible_answers._possible_answers(asked("outcome.answer", exhibit="pixels.orders")) == {
        "model",
        "ngram",
        "both",
        "none",
    }
    assert possible_answers._possible_answers(asked("outcome.text", exhibit="pixels.orders")) is None


@pytest.mark.parametrize(
    ("answer", "more", "said"),
    [
        ('"a" if x else "c"', "", "it may be 'c', which is none of the options: a, b"),
        ('"a" if x else "a"', "", "'b' can never be the answer"),
        ('"a" if x else "b"', "distractors: [b]\n", "'b' may be the answer, so it isn't a distractor"),
        ("mask.sum()", "", "doesn't say which options it may give"),
        ('"a"', "distractors: [b]\n", None),
    ],
)
def test_what_is_refused(answer: str, more: str, said: str | None) -> None:
    found = " ".join(possible_answers._option_problems(asked(answer, more=more)))
    assert said in found if said else not found


@pytest.mark.parametrize(
    ("form", "distractors", "said"),
    [
        ("options: {a: 1, b: 2}", "[c]", "'c' is none of the options"),
        ("options: {a: 1, b: 2}", "b", "a list of options"),
        ("number: {low: 0, high: 1}", "[b]", "a list of options"),
    ],
)
def test_distractors_are_options(form: str, distractors: str, said: str) -> None:
    block = f"```predict\nask: A?\n{form}\nanswer: mask.sum()\nexhibit: masks.kinds-of-masks\n"
    block += f"distractors: {distractors}\n```\n"
    assert [message for _, message in problems(STEP + block) if said in message]


def test_the_command_refuses_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "20-mine.md"
    block = ASK.format(options="a: x, b: y", exhibit="masks.kinds-of-masks", answer='"a" if rows else "c"', more="")
    file.write_text(f"{HEAD}## One\n\n{block}", encoding="utf-8")
    assert command.main(["check", str(file)]) == 1
    assert "it may be 'c'" in capsys.readouterr().out


def test_every_answer_of_the_house_is_an_option_and_every_option_an_answer() -> None:
    """This catches an answer that isn't among the options, and an option that can never be right."""
    found = {
        slug: possible_answers.answer_option_problems(lesson) for slug, lesson in catalog.catalog_lessons().items()
    }
    assert not {slug: faults for slug, faults in found.items() if faults}


def changed(slug: str) -> Iterator[PredictQuestion]:
    """The questions of a lesson with one input changed, for every input of their exhibits that one chooses from."""
    for place, question in questions().items():
        if place.split("/")[0] != slug or not isinstance(question.form, ChoiceForm) or question.compute:
            continue
        kind: type[Inputs] = all_exhibits()[question.exhibit].exhibit().module.Inputs
        for name, control in kind.controls():
            values = list(getattr(control, "options", None) or ())
            usual = getattr(kind(), name)  # where it isn't one of the choices, they only stand for what is chosen
            if name not in question.given and isinstance(usual, str | int | float) and usual in values:
                yield from (replace(question, given={**question.given, name: value}) for value in values[:6])


@pytest.mark.full
@pytest.mark.parametrize(
    "file", sorted(one.name for folder in catalog.COURSES.values() for one in folder.glob("[0-9]*.md"))
)
def test_with_other_inputs_the_answer_is_an_option_too(file: str) -> None:
    outside = []
    for question in changed(lesson_slug(file)):
        try:
            compute_answer(question, is_rehearsed=True)
        except ValueError as refused:  # what an exhibit refuses is another matter
            outside += [f"{question.given}: {refused}"] if "is no answer" in str(refused) else []
    assert not outside


def test_a_teachers_lesson_without_these_is_still_shown() -> None:
    """The command is strict; the shelf isn't, so that no lesson of an older kind is lost."""
    catalog._check_lesson_text(
        STEP + ASK.format(options="a: x, b: y", exhibit="masks.kinds-of-masks", answer="rows", more=""), "one"
    )
