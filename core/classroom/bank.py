"""The questions of the lessons, for a class: every prediction and every check; and what answers a question."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.classroom.questions import Question, QuestionRefused, Word
from core.lessons.format import shelf
from core.lessons.format.forms import shown
from core.lessons.format.lesson import Check, Choice, Form, Predict
from core.ui.web_page.text import to_page


def lessons() -> list[dict[str, Any]]:
    """All that stand on the shelf: slug, title, and the titles of their steps."""
    return [
        {"slug": one.slug, "title": one.title, "steps": [step.title for step in one.steps]}
        for one in shelf.lessons().values()
    ]


def of_lesson(slug: str) -> list[dict[str, Any]]:
    """The questions of a lesson: source, step, and the question as HTML. None of a lesson that there is not."""
    lesson = shelf.lessons().get(slug)
    steps = enumerate(lesson.steps, 1) if lesson is not None else ()
    return [
        {"source": f"{slug}/{number}/{i}", "step": number, "ask": to_page(part.ask)}
        for number, step in steps
        for i, part in enumerate(step.parts)
        if isinstance(part, Predict | Check)
    ]


def question(source: str) -> Question:
    """A question by its source, "masks/1/2". Raises QuestionRefused."""
    part = _part(source)
    form: Form = Choice(options=part.options) if isinstance(part, Check) else part.form
    if isinstance(form, Choice):
        form = Choice(options={name: to_page(text) for name, text in form.options.items()})
    return Question(ask=to_page(part.ask), form=form, source=source)


def computed(asked: Question, said: Sequence[str]) -> Question:
    """The question with its answer and how it came about; of a prediction the answer is computed, from the example.

    It may take seconds. Raises QuestionRefused: there is none.

    Args:
        said: what the class has answered to this round.
    """
    from core.classroom import next_word  # these need torch, and the server must be there before
    from core.lessons.answers import NotYet, answer_of

    if isinstance(asked.form, Word) and asked.form.text:
        form = asked.form
        return replace(asked, told=next_word.report(form.text, form.given, said, form.right))
    if not asked.source:
        raise QuestionRefused("You've made this question yourself: nothing computes its answer.")
    part = _part(asked.source)
    if isinstance(part, Check):
        return replace(asked, right=part.right, told=to_page(part.because))
    came = answer_of(part, is_rehearsed=True)
    if isinstance(came, NotYet):
        raise QuestionRefused(came.sentence)
    because = part.because.replace("{came}", shown(part.form, came.value)).replace("{guess}", "your answer")
    value: Any = came.value
    right = str(value) if isinstance(part.form, Choice) else _plain(value)
    return replace(asked, right=right, told=to_page(f"{came.sentence}\n\n{because}"))


def _plain(value: Any) -> Any:
    return [float(one) for one in value] if hasattr(value, "__len__") else float(value)


def _part(source: str) -> Predict | Check:
    slug, _, place = source.partition("/")
    number, _, i = place.partition("/")
    lesson = shelf.lessons().get(slug)
    if lesson is not None and number.isdecimal() and i.isdecimal():
        steps = lesson.steps[int(number) - 1 : int(number)]
        for part in [one for step in steps for one in step.parts[int(i) : int(i) + 1]]:
            if isinstance(part, Predict | Check):
                return part
    raise QuestionRefused("There is no such question in the lessons.")
