"""The bank of questions for a class: every prediction, check and guess of lessons and rooms, with their answers."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, get_args, get_type_hints

from core.browser.markdown_html import markdown_to_page_html
from core.classroom.question_types.questions import MOST_TEXT, ClassQuestion, QuestionRefused, WordForm
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, SHOW, Control, Inputs
from core.lessons.format import catalog
from core.lessons.format.forms import answer_text
from core.lessons.format.lesson import AnswerForm, CheckQuestion, ChoiceForm, PredictQuestion
from core.rooms import all_exhibits, rooms

LABELS = module_labels(__name__)

_LOG = logging.getLogger("glassformer")
# The beginning of an exhibit's question, left out because a class hasn't looked yet.
GUESS_PREFIX = LABELS["guess_prefix"] + " "


def question_sources() -> dict[str, list[dict[str, object]]]:
    """Return the sources of questions: all lessons with the titles of their steps, and all rooms."""
    return {
        "lessons": [
            {"slug": one.slug, "title": one.title, "steps": [step.title for step in one.steps]}
            for one in catalog.catalog_lessons().values()
        ],
        "rooms": [
            {"slug": one.address, "title": one.title, "has_questions": bool(room_questions(one.address))}
            for one in rooms()
        ],
    }


def lesson_questions(slug: str) -> list[dict[str, object]]:
    """Return a lesson's questions: source, step, and the question as HTML; [] if the lesson doesn't exist."""
    lesson = catalog.catalog_lessons().get(slug)
    steps = enumerate(lesson.steps, 1) if lesson is not None else ()
    return [
        {"source": f"{slug}/{number}/{i}", "step": number, "ask": markdown_to_page_html(part.ask)}
        for number, step in steps
        for i, part in enumerate(step.parts)
        if isinstance(part, PredictQuestion | CheckQuestion)
    ]


def room_questions(address: str) -> list[dict[str, object]]:
    """Return the guesses in the exhibits of a room: source, exhibit, and the question as HTML."""
    here = {name for one in rooms() if one.address == address for name in one.exhibits_by_name()}
    return [
        {
            "source": source,
            "title": all_exhibits()[guess.exhibit].exhibit().title,
            "ask": markdown_to_page_html(guess.ask),
        }
        for source, guess in _guesses().items()
        if guess.exhibit in here
    ]


@cache
def _guesses() -> Mapping[str, PredictQuestion]:
    """Return every exhibit's guesses as predictions of a lesson, by their source, "masks.train-without/guess"."""
    return {
        f"{name}/{field}": _as_prediction(name, kind, field)
        for name, kind in _inputs()
        for field, control in _segmented(kind)
        if NOT_YET in control.options["options"]
    }


def _inputs() -> Iterator[tuple[str, type[Inputs]]]:
    """Yield the inputs of each exhibit, with its name; skip one that cannot be imported, as in a broken package."""
    for name, entry in all_exhibits().items():
        try:
            yield name, entry.exhibit().module.Inputs
        except Exception:
            _LOG.exception("Import of %s failed", entry.module)


_REMARK = '{{ " (" ~ outcome.text|markdown ~ ")" if outcome.text }}'
# For exhibits whose result still contains its guesses.
_FOUND_BY_GUESSED = LABELS(
    "found",
    answer="{{ guesses[came.answer]|markdown }}",
    remark='{{ " (" ~ came.words|markdown ~ ")" if came.words }}',
)


def _as_prediction(name: str, kind: type[Inputs], field: str) -> PredictQuestion:
    control = kind.control(field)
    ask = control.label.removeprefix(GUESS_PREFIX)
    options = {k: v for k, v in control.options["options"].items() if k not in (NOT_YET, SHOW)}
    result = get_type_hints(all_exhibits()[name].exhibit().module.compute)["return"]
    is_guessed = any(hasattr(one, "guesses") for one in get_args(result) or (result,))
    found = LABELS("found", answer=f"{{{{ {json.dumps(options)}[outcome.answer] }}}}", remark=_REMARK)
    return PredictQuestion(
        ask=LABELS.capitalize(ask),
        form=ChoiceForm(options=options),
        answer="came.answer" if is_guessed else "outcome.answer",
        found=_FOUND_BY_GUESSED if is_guessed else found,
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


def find_question(source: str) -> ClassQuestion:
    """Return a question by its source, "masks/1/2" or "masks.train-without/guess". Raises QuestionRefused."""
    part = _part(source)
    form: AnswerForm = ChoiceForm(options=part.options) if isinstance(part, CheckQuestion) else part.form
    if isinstance(form, ChoiceForm):
        form = ChoiceForm(options={name: markdown_to_page_html(text) for name, text in form.options.items()})
    return ClassQuestion(ask=markdown_to_page_html(part.ask), form=form, source=source)


def tokenize_class_text(text: str) -> tuple[str, ...]:
    """Split a text into tokens of the GPT that ships with the app."""
    from core.classroom.question_types.next_word import gpt_tokens  # needs torch, without which the server must start

    return gpt_tokens(" ".join(text[:MOST_TEXT].split()))


def solve_class_question(asked: ClassQuestion, said: Sequence[str]) -> ClassQuestion:
    """Return the question with its answer and an explanation; a prediction's answer is computed, from the example.

    This may take seconds.

    Args:
        said: the class's answers in this round.

    Raises QuestionRefused: if there is no answer.
    """
    from core.classroom.question_types import next_word  # these need torch, without which the server must start
    from core.lessons.computed_answers import AnswerPending, UnanswerableQuestion, compute_answer

    if isinstance(asked.form, WordForm) and asked.form.text:
        form = asked.form
        return replace(asked, told=next_word.compare_next_words(form.text, form.given, said, form.right))
    if not asked.source:
        raise QuestionRefused(LABELS["own_question"])
    part = _part(asked.source)
    if isinstance(part, CheckQuestion):
        return replace(asked, right=part.right, told=markdown_to_page_html(part.because))
    try:
        came = compute_answer(part, is_rehearsed=True)
    except UnanswerableQuestion:
        raise QuestionRefused(LABELS["not_among_answers"]) from None
    if isinstance(came, AnswerPending):
        raise QuestionRefused(came.sentence)
    because = part.because.replace("{guess}", LABELS["your_answer"])
    because = because.replace("{came}", answer_text(part.form, came.value))
    value = came.value
    right = str(value) if isinstance(part.form, ChoiceForm) else _plain(value)
    return replace(asked, right=right, told=markdown_to_page_html(f"{came.sentence}\n\n{because}"))


def _plain(value: Any) -> object:
    return [float(one) for one in value] if hasattr(value, "__len__") else float(value)


def _part(source: str) -> PredictQuestion | CheckQuestion:
    if guess := _guesses().get(source):
        return guess
    slug, _, place = source.partition("/")
    number, _, i = place.partition("/")
    lesson = catalog.catalog_lessons().get(slug)
    if lesson is not None and number.isdecimal() and i.isdecimal():
        steps = lesson.steps[int(number) - 1 : int(number)]
        for part in [one for step in steps for one in step.parts[int(i) : int(i) + 1]]:
            if isinstance(part, PredictQuestion | CheckQuestion):
                return part
    raise QuestionRefused(LABELS["no_question"])
