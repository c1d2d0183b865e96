"""A lesson: steps, and in each step text, exhibits, questions and things to do, in the order of the file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.ui.frame.depth import Depth


@dataclass(frozen=True, kw_only=True)
class Prose:
    """Markdown with formulas; `depth` says from which depth on it is shown."""

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
class Choice:
    """Answer by choosing: short name -> what is offered."""

    options: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Number:
    """Answer by a number from `low` to `high`."""

    low: float
    high: float
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Answer by drawing: one height for each place of `x`, from `low` to `high`."""

    x: tuple[float, ...]
    low: float
    high: float
    x_title: str
    y_title: str


Form = Choice | Number | Curve


@dataclass(frozen=True, kw_only=True)
class Predict:
    """A question before the result is there."""

    ask: str
    form: Form  # how one answers
    # an expression of what `exhibit`, or a function, `compute`, makes of the inputs `given`; or None
    answer: str | None
    found: str  # how it was found; a template, see `core.lessons.answers`
    exhibit: str
    compute: str
    given: Mapping[str, object]
    # the options of the learner's own training that the answer is computed from; "if done"; None: the example
    own: Mapping[str, object] | str | None
    right: Any  # the answer as the lesson's author wrote it down, where there is nothing to compute; or None
    because: str  # Markdown after the reveal; `{came}` and `{guess}` are filled in
    line: int  # in the file
    distractors: tuple[str, ...] = ()  # options that can never be the answer (`core.lessons.format.outcomes`)


@dataclass(frozen=True, kw_only=True)
class Check:
    """A question about what was read: one option is right, and each may say why in `why`."""

    ask: str
    options: Mapping[str, str]
    right: str
    why: Mapping[str, str]
    because: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Do:
    """Something to do in the exhibit above; `when` tells that it is done (`core.lessons.page.conditions`)."""

    say: str
    when: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Code:
    """The source of a function or class, read from the running program: "core.nn.masks:causal"."""

    place: str
    line: int


Part = Prose | ExhibitPart | Predict | Check | Do | Code


@dataclass(frozen=True, kw_only=True)
class Step:
    """One screen of a lesson."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A lesson."""

    slug: str  # its name in the address: the file's name without the number
    title: str
    about: str  # one sentence for the shelf
    minutes: int  # how long it takes
    needs: tuple[str, ...]  # slugs of the lessons that come before
    trains: str  # what the learner has trained at its end, as a phrase
    sources: tuple[str, ...]  # papers and sections that its claims rest on
    steps: tuple[Step, ...]


@dataclass(frozen=True, order=True)
class Problem:
    """A problem in plain words, and its line in the file (from 1)."""

    line: int
    message: str


class LessonRefused(ValueError):
    """A file that is no lesson; `problems` says all that is wrong with it, from its first line on."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("; ".join(f"line {one.line}: {one.message}" for one in self.problems))
