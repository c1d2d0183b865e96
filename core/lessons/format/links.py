"""Whether the links of a lesson lead somewhere: to the web, or to a room."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from core.data.names import near
from core.lessons.format.lesson import Check, Choice, Do, Lesson, Predict, Prose
from core.lessons.format.problems import Problem
from core.rooms import rooms

_MARKDOWN = MarkdownIt("commonmark")


def problems(lesson: Lesson, text: str) -> list[Problem]:
    """Return a problem for each link to a room that there isn't; `text` is the lesson's file."""
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
