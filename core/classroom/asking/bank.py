"""The bank of questions for a class: every prediction, check and guess of lessons and rooms, with their answers."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, get_args, get_type_hints

from core.browser.text import to_page
from core.classroom.asking.questions import MOST_TEXT, Question, QuestionRefused, Word
from core.exhibit import NOT_YET, SHOW, Control, Inputs
from core.lessons.format import shelf
from core.lessons.format.forms import shown
from core.lessons.format.lesson import Check, Choice, Form, Predict
from core.rooms import exhibits, rooms

_LOG = logging.getLogger("glassformer")
BEFORE = "Before you look: "  # the beginning of an exhibit's question, left out because a class hasn't looked yet


def places() -> dict[str, list[dict[str, object]]]:
    """Return the sources of questions: all lessons with the titles of their steps, and all rooms."""
    return {
        "lessons": [
            {"slug": one.slug, "title": one.title, "steps": [step.title for step in one.steps]}
            for one in shelf.lessons().values()
        ],
        "rooms": [
            {"slug": one.address, "title": one.title, "has_questions": bool(room_questions(one.address))}
            for one in rooms()
        ],
    }


def lesson_questions(slug: str) -> list[dict[str, object]]:
    """Return a lesson's questions: source, step, and the question as HTML; [] if the lesson doesn't exist."""
    lesson = shelf.lessons().get(slug)
    steps = enumerate(lesson.steps, 1) if lesson is not None else ()
    return [
        {"source": f"{slug}/{number}/{i}", "step": number, "ask": to_page(part.ask)}
        for number, step in steps
        for i, part in enumerate(step.parts)
        if isinstance(part, Predict | Check)
    ]


def room_questions(address: str) -> list[dict[str, object]]:
    """Return the guesses in the exhibits of a room: source, exhibit, and the question as HTML."""
    here = {name for one in rooms() if one.address == address for name in one.named()}
    return [
        {"source": source, "title": exhibits()[guess.exhibit].exhibit().title, "ask": to_page(guess.ask)}
        for source, guess in _guesses().items()
        if guess.exhibit in here
    ]


@cache
def _guesses() -> Mapping[str, Predict]:
    """Return every exhibit's guesses as predictions of a lesson, by their source, "masks.train-without/guess"."""
    return {
        f"{name}/{field}": _as_prediction(name, kind, field)
        for name, kind in _inputs()
        for field, control in _segmented(kind)
        if NOT_YET in control.options["options"]
    }


def _inputs() -> Iterator[tuple[str, type[Inputs]]]:
    """Yield the inputs of each exhibit, with its name; skip one that cannot be imported, as in a broken package."""
    for name, entry in exhibits().items():
        try:
            yield name, entry.exhibit().module.Inputs
        except Exception:
            _LOG.exception("Import of %s failed", entry.module)


_FOUND = """
The answer: **{{ %s[outcome.answer] }}**{{ " (" ~ outcome.text|markdown ~ ")" if outcome.text }}.
""".strip()
# For exhibits whose result still contains its guesses.
_FOUND_BY_GUESSED = """
The answer: **{{ guesses[came.answer]|markdown }}**{{ " (" ~ came.words|markdown ~ ")" if came.words }}.
""".strip()


def _as_prediction(name: str, kind: type[Inputs], field: str) -> Predict:
    control = kind.control(field)
    ask = control.label.removeprefix(BEFORE)
    options = {k: v for k, v in control.options["options"].items() if k not in (NOT_YET, SHOW)}
    result = get_type_hints(exhibits()[name].exhibit().module.compute)["return"]
    is_guessed = any(hasattr(one, "guesses") for one in get_args(result) or (result,))
    return Predict(
        ask=ask[0].upper() + ask[1:],
        form=Choice(options=options),
        answer="came.answer" if is_guessed else "outcome.answer",
        found=_FOUND_BY_GUESSED if is_guessed else _FOUND % json.dumps(options),
        exhibit=name,
        compute="",
        given=_asked_with(kind, field),
        own=None,
        right=None,
        because="",
        line=0,
    )


def _asked_with(kind: type[Inputs], field: str) -> dict[str, object]:
    """Return the inputs that skip a guess, with those it takes for the guess to be asked, such as a text."""
    is_asked = kind.control(field).when or (lambda _: True)
    others = [{name: option} for name, control in _segmented(kind) for option in control.options["options"]]
    for other in [{}, *others]:
        if is_asked(kind(**other)):
            return {**other, field: SHOW}
    raise LookupError(f"{kind.__module__}: {field} is never asked.")


def _segmented(kind: type[Inputs]) -> list[tuple[str, Control]]:
    """Return the segmented controls whose options don't depend on other inputs."""
    found = [(name, one) for name, one in kind.controls() if one.kind == "segmented"]
    return [(name, one) for name, one in found if not callable(one.options["options"])]


def question(source: str) -> Question:
    """Return a question by its source, "masks/1/2" or "masks.train-without/guess". Raises QuestionRefused."""
    part = _part(source)
    form: Form = Choice(options=part.options) if isinstance(part, Check) else part.form
    if isinstance(form, Choice):
        form = Choice(options={name: to_page(text) for name, text in form.options.items()})
    return Question(ask=to_page(part.ask), form=form, source=source)


def tokens(text: str) -> tuple[str, ...]:
    """Split a text into tokens of the GPT that ships with the app."""
    from core.classroom.asking.next_word import pieces  # needs torch, without which the server must start

    return pieces(" ".join(text[:MOST_TEXT].split()))


def compute_answer(asked: Question, said: Sequence[str]) -> Question:
    """Return the question with its answer and an explanation; a prediction's answer is computed, from the example.

    This may take seconds.

    Args:
        said: the class's answers in this round.

    Raises QuestionRefused: if there is no answer.
    """
    from core.classroom.asking import next_word  # these need torch, without which the server must start
    from core.lessons.answers import AnswerPending, AnswerRefused, answer_of

    if isinstance(asked.form, Word) and asked.form.text:
        form = asked.form
        return replace(asked, told=next_word.report(form.text, form.given, said, form.right))
    if not asked.source:
        raise QuestionRefused("You made this question yourself, so nothing computes its answer.")
    part = _part(asked.source)
    if isinstance(part, Check):
        return replace(asked, right=part.right, told=to_page(part.because))
    try:
        came = answer_of(part, is_rehearsed=True)
    except AnswerRefused:
        raise QuestionRefused("The result isn't among these answers.") from None
    if isinstance(came, AnswerPending):
        raise QuestionRefused(came.sentence)
    because = part.because.replace("{came}", shown(part.form, came.value)).replace("{guess}", "your answer")
    value = came.value
    right = str(value) if isinstance(part.form, Choice) else _plain(value)
    return replace(asked, right=right, told=to_page(f"{came.sentence}\n\n{because}"))


def _plain(value: Any) -> object:
    return [float(one) for one in value] if hasattr(value, "__len__") else float(value)


def _part(source: str) -> Predict | Check:
    if guess := _guesses().get(source):
        return guess
    slug, _, place = source.partition("/")
    number, _, i = place.partition("/")
    lesson = shelf.lessons().get(slug)
    if lesson is not None and number.isdecimal() and i.isdecimal():
        steps = lesson.steps[int(number) - 1 : int(number)]
        for part in [one for step in steps for one in step.parts[int(i) : int(i) + 1]]:
            if isinstance(part, Predict | Check):
                return part
    raise QuestionRefused("There is no such question.")
