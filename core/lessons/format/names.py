"""Checks that everything a lesson names exists: exhibits, answers and arguments, runs, code, lessons, links."""

import ast
import importlib
from collections.abc import Callable, Collection, Iterator
from functools import cache, reduce
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from core.data.names import near
from core.lessons.format import templates
from core.lessons.format.lesson import Check, Choice, Code, Do, ExhibitPart, Lesson, Part, Predict, Problem, Prose
from core.lessons.page.conditions import check_condition
from core.rooms import exhibits, rooms

ROOT = Path(__file__).resolve().parents[3]
_MARKDOWN = MarkdownIt("commonmark")


def unknown_names(lesson: Lesson) -> list[Problem]:
    """Return a problem for each name of a lesson that doesn't exist."""
    return [problem for step in lesson.steps for part in step.parts for problem in _unknown(part)]


def missing_needs(lesson: Lesson, slugs: Collection[str]) -> list[Problem]:
    """Return a problem for each lesson that it builds on and that is not among these slugs."""
    gone = [need for need in lesson.needs if need not in slugs]
    return [Problem(1, f"needs: there is no lesson {need!r}.{near(need, slugs)}") for need in gone]


def _unknown(part: Part) -> list[Problem]:
    if isinstance(part, ExhibitPart) and part.name not in exhibits():
        return [Problem(part.line, f"There is no exhibit {part.name!r}.{near(part.name, exhibits())}")]
    if isinstance(part, Predict) and part.answer is not None:
        return _unknown_source(part)
    if isinstance(part, Do) and (message := check_condition(part.when)):
        return [Problem(part.line, message)]
    if isinstance(part, Code) and not is_defined(part.place):
        return [Problem(part.line, f"There is no code {part.place!r}.{_near(part.place)}")]
    return []


def _unknown_source(part: Predict) -> list[Problem]:
    for field, text in (("answer", f"{{{{ {part.answer} }}}}"), ("found", part.found)):
        try:
            templates.check(text)
        except templates.TemplateRefused as refused:
            return [Problem(part.line, f"{field}: {refused}")]
    if part.compute and not is_defined(part.compute):
        return [Problem(part.line, f"There is no code {part.compute!r}.{_near(part.compute)}")]
    if not part.compute and part.exhibit not in exhibits():
        what = f"There is no exhibit {part.exhibit!r}.{near(part.exhibit, exhibits())}"
        return [Problem(part.line, what if part.exhibit else "exhibit: name one, for this step shows none.")]
    return []


def find(place: str) -> Callable[..., object]:
    """Return the function or class at a place, "core.nn.masks:causal".

    Raises LookupError if there is none.
    """
    module, _, name = place.partition(":")
    try:
        found = reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        raise LookupError(f"There is no {place!r}.") from None
    return cast(Callable[..., object], found)


def is_defined(place: str) -> bool:
    """Return whether a module of ours defines this function or class, read from its source without running it."""
    module, _, name = place.partition(":")
    first, _, second = name.partition(".")
    names = _defined(module)
    return first in names if not second else f"{first}.{second}" in names


def _near(place: str) -> str:
    """Return a hint with the most similar name in the module of a place."""
    module, _, name = place.partition(":")
    return near(name, _defined(module))


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


def dead_links(lesson: Lesson, text: str) -> list[Problem]:
    """Return a problem for each link to a room that doesn't exist; `text` is the lesson's file."""
    names = {Path(room.page).stem for room in rooms()}
    lines = text.split("\n")
    found = []
    for href in dict.fromkeys(href for part in _texts(lesson) for href in _links(part)):
        parts = urlsplit(href)
        if not parts.scheme and not parts.netloc and parts.path and (name := parts.path.strip("/")) not in names:
            line = next((i for i, one in enumerate(lines, 1) if f"]({href}" in one), 1)
            found.append(Problem(line, f"There is no room {name!r} to link to.{near(name, names)}"))
    return found


def _texts(lesson: Lesson) -> Iterator[str]:
    yield from lesson.sources
    for part in (part for step in lesson.steps for part in step.parts):
        if isinstance(part, Prose):
            yield part.text
        elif isinstance(part, Do):
            yield part.say
        elif isinstance(part, Predict | Check):
            yield from (part.ask, part.because)
            form = Choice(options=part.options) if isinstance(part, Check) else part.form
            yield from form.options.values() if isinstance(form, Choice) else ()
            yield from part.why.values() if isinstance(part, Check) else ()


def _links(text: str) -> Iterator[str]:
    for token in _MARKDOWN.parse(text):
        for one in token.children or ():
            if one.type == "link_open":
                yield str(one.attrGet("href"))
