"""The records of a lesson: steps with text, exhibits, questions and things to do, in the order of the file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.ui.frame.depth import Depth


@dataclass(frozen=True, kw_only=True)
class Prose:
    """Markdown with formulas, shown from `depth` on."""

    text: str
    depth: Depth = "story"


@dataclass(frozen=True, kw_only=True)
class ExhibitPart:
    """An exhibit of the catalogue, with its controls set, locked or hidden by name."""

    name: str
    values: Mapping[str, object]
    lock: tuple[str, ...]
    hide: tuple[str, ...]
    line: int


@dataclass(frozen=True, kw_only=True)
class ChoiceForm:
    """The form of an answer by choosing an option: short name -> text."""

    options: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class NumberForm:
    """The form of an answer by a number from `low` to `high`."""

    low: float
    high: float
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class CurveAnswerForm:
    """The form of an answer by drawing a curve: one height for each `x`, from `low` to `high`."""

    x: tuple[float, ...]
    low: float
    high: float
    x_title: str
    y_title: str


AnswerForm = ChoiceForm | NumberForm | CurveAnswerForm


@dataclass(frozen=True, kw_only=True)
class PredictQuestion:
    """A question asked before the result is shown."""

    ask: str
    form: AnswerForm  # of the answer
    # an expression over the result of `exhibit`, or of the function `compute`, for the inputs `given`; or None
    answer: str | None
    found: str  # how the answer was found; a template, see `core.lessons.computed_answers`
    exhibit: str
    compute: str
    given: Mapping[str, object]
    # the options of the learner's own run to compute the answer from; or "if done"; None: the example
    own: Mapping[str, object] | str | None
    right: Any  # the answer as written by the lesson's author, if there is nothing to compute; or None
    because: str  # Markdown after the reveal; `{came}` and `{guess}` are filled in
    line: int  # in the file
    distractors: tuple[str, ...] = ()  # options that can never be the answer (`core.lessons.format.possible_answers`)


@dataclass(frozen=True, kw_only=True)
class CheckQuestion:
    """A question about the text: one option is right, and `why` may explain each option."""

    ask: str
    options: Mapping[str, str]
    right: str
    why: Mapping[str, str]
    because: str
    line: int


@dataclass(frozen=True, kw_only=True)
class ExhibitTask:
    """Something to do in the exhibit above; `when` is the condition for done (`core.lessons.lesson_ui.conditions`)."""

    say: str
    when: str
    line: int


@dataclass(frozen=True, kw_only=True)
class CodeExcerpt:
    """The source of a function or class, read from the running program: "core.nn.masks:causal"."""

    place: str
    line: int


LessonPart = Prose | ExhibitPart | PredictQuestion | CheckQuestion | ExhibitTask | CodeExcerpt


@dataclass(frozen=True, kw_only=True)
class LessonStep:
    """One screen of a lesson."""

    title: str
    parts: tuple[LessonPart, ...]


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A lesson with its head and its steps."""

    slug: str  # its name in the address, which is the file's name without the number
    title: str
    about: str  # one sentence for the lesson's card
    minutes: int  # duration
    needs: tuple[str, ...]  # slugs of the lessons that come before
    trains: str  # the model that the learner trains in it, as a phrase
    sources: tuple[str, ...]  # papers and sections that its claims are based on
    steps: tuple[LessonStep, ...]


@dataclass(frozen=True, order=True)
class LessonProblem:
    """A problem with a lesson's file: a message for the author, and the line in the file (from 1)."""

    line: int
    message: str


class LessonRefused(ValueError):
    """The file isn't a valid lesson; `problems` lists everything that is wrong, in order of lines."""

    def __init__(self, problems: Iterable[LessonProblem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("; ".join(f"line {one.line}: {one.message}" for one in self.problems))
