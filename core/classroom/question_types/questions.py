"""Questions to the class: the forms of their answers, and the counts of all answers.

Lessons have three forms (`core.lessons.format.lesson`); a class has three more: a word, a cell and a token.
"""

import html
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.classroom.learner_names import clean_learner_name
from core.classroom.question_types import unseen_stories
from core.data.localization.labels import module_labels
from core.lessons.format import forms
from core.lessons.format.lesson import ChoiceForm, CurveAnswerForm, NumberForm

LABELS = module_labels(__name__)

MOST_LETTERS = 300  # of a question
MOST_TEXT = 2000  # letters of the text that it is about
MOST_SEED = 10**6
MOST_TOKENS = 40
N_BIN = 12
N_WORD = 12  # the most frequent words that are shown


@dataclass(frozen=True, kw_only=True)
class WordForm:
    """The form of an answer by a word, which continues `text` if there is one."""

    text: str = ""
    given: str = ""  # the part of the text that the teacher gave; the class has written the rest
    seed: int | None = None  # of the story that the text begins; None: it isn't from a story

    @property
    def right(self) -> str | None:
        """The next word of the story, or None if it isn't known."""
        return None if self.seed is None else unseen_stories.true_next_word_of_story(self.text, self.seed)


@dataclass(frozen=True, kw_only=True)
class CellForm:
    """The form of an answer by pointing at a cell of a table."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TokenPickForm:
    """The form of an answer by pointing at a token of a text."""

    tokens: tuple[str, ...]


ClassAnswerForm = ChoiceForm | NumberForm | CurveAnswerForm | WordForm | CellForm | TokenPickForm
_FORMS: Mapping[str, type] = {
    "choice": ChoiceForm,
    "number": NumberForm,
    "curve": CurveAnswerForm,
    "word": WordForm,
    "cell": CellForm,
    "token": TokenPickForm,
}  # by the kind that the store and browsers know
_KINDS = {form: kind for kind, form in _FORMS.items()}


def form_kind(form: ClassAnswerForm) -> str:
    """Return the kind of a form, as the store and browsers know it: "choice", "number" and so on."""
    return _KINDS[type(form)]


@dataclass(frozen=True, kw_only=True)
class ClassQuestion:
    """A question to the class."""

    ask: str  # HTML that we made, so it is safe
    form: ClassAnswerForm  # its options are safe HTML, too
    source: str = ""  # "masks/1/2": lesson, step, part; "" for the teacher's own question
    right: object = None  # the answer, if known; a lesson's is computed when the teacher requests it
    told: str = ""  # the explanation of the answer, as safe HTML

    @property
    def is_own(self) -> bool:
        """True if the teacher has set the right answer, so that nothing is computed."""
        return not self.source and self.right is not None and not getattr(self.form, "text", "")

    def to_json(self) -> dict[str, object]:
        """Return the question as JSON data for the store."""
        return {**asdict(self), "kind": form_kind(self.form)}


class QuestionRefused(ValueError):
    """The message isn't a valid question or answer; the error's text says why and is fit to be shown."""


def question_from_json(kept: Mapping[str, Any]) -> ClassQuestion:
    """Restore a question from a result of `to_json`."""
    made = dict(kept)
    form = {name: tuple(value) if isinstance(value, list) else value for name, value in made.pop("form").items()}
    return ClassQuestion(**made | {"form": _FORMS[made.pop("kind")](**form)})


def make_question(told: Mapping[str, object]) -> ClassQuestion:
    """Make a teacher's own question from `told`, which comes from a browser.

    Raises QuestionRefused.
    """
    ask = _line(told.get("ask"), MOST_LETTERS)
    if not ask:
        raise QuestionRefused(LABELS["no_text"])
    kind = told.get("kind")
    form: ClassAnswerForm
    if kind == "choice":
        options = [text for one in _list(told.get("options"))[:6] if (text := _line(one, 100))]
        if len(options) < 2:
            raise QuestionRefused(LABELS["few_options"])
        form = ChoiceForm(options={str(n): html.escape(text) for n, text in enumerate(options)})
    elif kind == "number":
        low, high = _number(told.get("low")), _number(told.get("high"))
        if low is None or high is None or not low < high:
            raise QuestionRefused(LABELS["number_limits"])
        form = NumberForm(low=low, high=high, unit=_line(told.get("unit"), 20))
    elif kind == "curve":
        low, high = _number(told.get("low")), _number(told.get("high"))
        if low is None or high is None or not low < high:
            raise QuestionRefused(LABELS["curve_limits"])
        places = tuple(float(n) for n in range(11))
        form = CurveAnswerForm(
            x=places, low=low, high=high, x_title=_line(told.get("x_title"), 30), y_title=_line(told.get("y_title"), 30)
        )
    elif kind == "word":
        text, seed = _line(told.get("text"), MOST_TEXT), told.get("seed")
        form = WordForm(text=text, given=text, seed=seed if type(seed) is int and 0 <= seed < MOST_SEED else None)
    elif kind == "token":
        tokens = told.get("tokens")  # of the text, by `bank.tokenize_class_text`
        if not isinstance(tokens, tuple) or not 2 <= len(tokens) <= MOST_TOKENS:
            raise QuestionRefused(LABELS("n_tokens", most=MOST_TOKENS))
        form = TokenPickForm(tokens=tokens)
    elif kind == "cell":
        rows, columns = (tuple(_line(one, 20) for one in _list(told.get(name))[:24]) for name in ("rows", "columns"))
        if not rows or not columns:
            raise QuestionRefused(LABELS["no_cells"])
        form = CellForm(rows=rows, columns=columns)
    else:
        raise QuestionRefused(LABELS["no_kind"])
    return ClassQuestion(ask=f"<p>{html.escape(ask)}</p>", form=form, right=_right(form, told.get("right")))


def _right(form: ClassAnswerForm, said: object) -> object:
    """Parse the teacher's right answer as answers are stored; None if it is empty. Raises QuestionRefused."""
    if isinstance(form, WordForm) and form.text:
        return form.right
    if said is None or said == "":
        return None
    if isinstance(form, ChoiceForm):
        text = html.escape(_line(said, 100)).casefold()
        found = next((name for name, option in form.options.items() if option.casefold() == text), None)
        if found is None:
            raise QuestionRefused(LABELS["right_not_an_option"])
        return found
    return parse_answer(form, said)


def parse_answer(form: ClassAnswerForm, said: Any) -> object:
    """Parse an answer from a browser into the value that is stored.

    Raises QuestionRefused: if it doesn't fit the form.
    """
    if isinstance(form, WordForm):
        if isinstance(said, str) and (word := clean_learner_name(said)):
            return word
        raise QuestionRefused(LABELS["no_word"])
    if isinstance(form, CellForm):
        if (
            isinstance(said, list)
            and len(said) == 2
            and all(type(one) is int for one in said)
            and 0 <= said[0] < len(form.rows)
            and 0 <= said[1] < len(form.columns)
        ):
            return said
        raise QuestionRefused(LABELS["no_cell"])
    if isinstance(form, TokenPickForm):
        if type(said) is int and 0 <= said < len(form.tokens):
            return said
        raise QuestionRefused(LABELS["no_token"])
    if not forms.fits_form(form, said):
        raise QuestionRefused(LABELS["not_an_answer"])
    if isinstance(form, ChoiceForm):
        return str(said)
    if isinstance(form, NumberForm):
        if not form.low <= said <= form.high:
            raise QuestionRefused(
                LABELS("out_of_range", low=forms.readable_number(form.low), high=forms.readable_number(form.high))
            )
        return float(said)
    return [min(max(float(one), form.low), form.high) for one in said]


def append_word_to_question(asked: ClassQuestion, word: str) -> ClassQuestion:
    """Return the same question about its text continued by this word.

    Raises QuestionRefused: if it isn't about a text, or the text gets too long.
    """
    form = asked.form
    if not isinstance(form, WordForm) or not form.text or not clean_learner_name(word):
        raise QuestionRefused(LABELS["nothing_to_continue"])
    text = unseen_stories.append_word(form.text, clean_learner_name(word))
    if len(text) > MOST_TEXT:
        raise QuestionRefused(LABELS["text_too_long"])
    form = replace(form, text=text)
    return replace(asked, form=form, right=form.right, told="")


def is_right_class_answer(question: ClassQuestion, said: object) -> bool | None:
    """Return whether an answer is right, or None if that isn't known."""
    if isinstance(question.form, CellForm | TokenPickForm):
        return None if question.right is None else bool(said == question.right)
    return forms.is_right_answer(question.form, question.right, said)


def count_answers(form: ClassAnswerForm, answers: Sequence[Any]) -> dict[str, Any]:
    """Count all answers, without names, for a histogram."""
    if isinstance(form, ChoiceForm):
        count = Counter(answers)
        return {"options": [[label, count[name], name] for name, label in form.options.items()]}
    if isinstance(form, NumberForm):
        return {"bins": _bins(form, answers), "low": form.low, "high": form.high, "unit": form.unit}
    if isinstance(form, CurveAnswerForm):
        return {"curves": list(answers), **asdict(form)}
    if isinstance(form, TokenPickForm):
        count = Counter(answers)
        return {"tokens": [[text, count[n], n] for n, text in enumerate(form.tokens)]}
    if isinstance(form, CellForm):
        grid = [[0] * len(form.columns) for _ in form.rows]
        for row, column in answers:
            grid[row][column] += 1
        return {"grid": grid, "rows": form.rows, "columns": form.columns}
    words: dict[str, list[str]] = {}
    for one in answers:
        words.setdefault(one.casefold(), []).append(one)
    most = sorted(words.values(), key=lambda same: (-len(same), same[0].casefold()))
    bars: list[list[object]] = [
        [Counter(same).most_common(1)[0][0], len(same), same[0].casefold()] for same in most[:N_WORD]
    ]
    if rest := sum(map(len, most[N_WORD:])):
        bars.append([LABELS["other_words"], rest, ""])
    return {"words": bars}


def _bins(form: NumberForm, answers: Sequence[float]) -> list[list[float]]:
    """Return bins [from, to, count] of equal width with round edges."""
    raw = (form.high - form.low) / N_BIN
    power = 10.0 ** math.floor(math.log10(raw))
    width = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * (1 - 1e-9))
    first = math.floor(form.low / width + 1e-9)
    last = max(first + 1, math.ceil(form.high / width - 1e-9))
    found = [[n * width, (n + 1) * width, 0] for n in range(first, last)]
    for one in answers:
        found[min(max(math.floor(one / width + 1e-9) - first, 0), len(found) - 1)][2] += 1
    return found


def _line(said: object, most: int) -> str:
    """Return typed text as one line of at most `most` letters."""
    return " ".join(said[: 4 * most].split())[:most] if isinstance(said, str) else ""


def _list(said: object) -> list[object]:
    return said if isinstance(said, list) else []


def _number(said: object) -> float | None:
    return float(said) if isinstance(said, int | float) and not isinstance(said, bool) and abs(said) < 1e15 else None
