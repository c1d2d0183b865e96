"""Checks that everything a lesson names exists: exhibits, answers and arguments, runs, code, lessons, links."""

import ast
import importlib
from collections.abc import Callable, Collection, Iterator
from functools import cache, reduce
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from core.data.localization.labels import module_labels
from core.data.name_suggestions import suggest_names
from core.lessons.format import templates
from core.lessons.format.lesson import (
    CheckQuestion,
    ChoiceForm,
    CodeExcerpt,
    ExhibitPart,
    ExhibitTask,
    Lesson,
    LessonPart,
    LessonProblem,
    PredictQuestion,
    Prose,
)
from core.lessons.lesson_ui.conditions import lesson_condition_problem
from core.rooms import all_exhibits, rooms

LABELS = module_labels(__name__)

ROOT = Path(__file__).resolve().parents[3]
_MARKDOWN = MarkdownIt("commonmark")


def unknown_lesson_references(lesson: Lesson) -> list[LessonProblem]:
    """Return a problem for each name of a lesson that doesn't exist."""
    return [problem for step in lesson.steps for part in step.parts for problem in _unknown(part)]


def unknown_prerequisites(lesson: Lesson, slugs: Collection[str]) -> list[LessonProblem]:
    """Return a problem for each lesson that it builds on and that is not among these slugs."""
    gone = [need for need in lesson.needs if need not in slugs]
    return [LessonProblem(1, LABELS("no_lesson", need=repr(need)) + suggest_names(need, slugs)) for need in gone]


def _unknown(part: LessonPart) -> list[LessonProblem]:
    if isinstance(part, ExhibitPart) and part.name not in all_exhibits():
        return [LessonProblem(part.line, _no_exhibit(part.name))]
    if isinstance(part, PredictQuestion) and part.answer is not None:
        return _unknown_source(part)
    if isinstance(part, ExhibitTask) and (message := lesson_condition_problem(part.when)):
        return [LessonProblem(part.line, message)]
    if isinstance(part, CodeExcerpt) and not _is_defined(part.place):
        return [LessonProblem(part.line, _no_code(part.place))]
    return []


def _unknown_source(part: PredictQuestion) -> list[LessonProblem]:
    for field, text in (("answer", f"{{{{ {part.answer} }}}}"), ("found", part.found)):
        try:
            templates.check_template(text)
        except templates.TemplateRefused as refused:
            return [LessonProblem(part.line, f"{field}: {refused}")]
    if part.compute and not _is_defined(part.compute):
        return [LessonProblem(part.line, _no_code(part.compute))]
    if not part.compute and part.exhibit not in all_exhibits():
        what = _no_exhibit(part.exhibit) if part.exhibit else LABELS["exhibit_missing"]
        return [LessonProblem(part.line, what)]
    return []


def find_function_or_class(place: str) -> Callable[..., object]:
    """Return the function or class at a place, "core.nn.masks:causal".

    Raises LookupError if there is none.
    """
    module, _, name = place.partition(":")
    try:
        found = reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        raise LookupError(f"There is no {place!r}.") from None
    return cast(Callable[..., object], found)


def _is_defined(place: str) -> bool:
    """Return whether a module of ours defines this function or class, read from its source without running it."""
    module, _, name = place.partition(":")
    first, _, second = name.partition(".")
    names = _defined(module)
    return first in names if not second else f"{first}.{second}" in names


def _no_exhibit(name: str) -> str:
    return LABELS("no_exhibit", name=repr(name)) + suggest_names(name, all_exhibits())


def _no_code(place: str) -> str:
    """Return a message on an unknown place, with the most similar name in its module."""
    module, _, name = place.partition(":")
    return LABELS("no_code", place=repr(place)) + suggest_names(name, _defined(module))


@cache
def _defined(module: str) -> frozenset[str]:
    path = ROOT / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.is_file():
        return frozenset()
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names.update(f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef))
    return frozenset(names)


def dead_links(lesson: Lesson, text: str) -> list[LessonProblem]:
    """Return a problem for each link to a room that doesn't exist; `text` is the lesson's file."""
    names = {Path(room.page).stem for room in rooms()}
    lines = text.split("\n")
    found = []
    for href in dict.fromkeys(href for part in _texts(lesson) for href in _links(part)):
        parts = urlsplit(href)
        if not parts.scheme and not parts.netloc and parts.path and (name := parts.path.strip("/")) not in names:
            line = next((i for i, one in enumerate(lines, 1) if f"]({href}" in one), 1)
            found.append(LessonProblem(line, LABELS("no_room", name=repr(name)) + suggest_names(name, names)))
    return found


def _texts(lesson: Lesson) -> Iterator[str]:
    yield from lesson.sources
    for part in (part for step in lesson.steps for part in step.parts):
        if isinstance(part, Prose):
            yield part.text
        elif isinstance(part, ExhibitTask):
            yield part.say
        elif isinstance(part, PredictQuestion | CheckQuestion):
            yield from (part.ask, part.because)
            form = ChoiceForm(options=part.options) if isinstance(part, CheckQuestion) else part.form
            yield from form.options.values() if isinstance(form, ChoiceForm) else ()
            yield from part.why.values() if isinstance(part, CheckQuestion) else ()


def _links(text: str) -> Iterator[str]:
    for token in _MARKDOWN.parse(text):
        for one in token.children or ():
            if one.type == "link_open":
                yield str(one.attrGet("href"))
