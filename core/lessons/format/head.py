"""The head of a lesson's file: what stands between the first two lines of ---."""

from collections.abc import Callable
from typing import Any

from core.lessons.format import plain_yaml
from core.lessons.format.block import Block
from core.lessons.format.plain_yaml import YamlRefused
from core.lessons.format.problems import LessonRefused, Problem

NAMES = ("title", "about", "minutes", "needs", "trains", "sources")
MAX_TITLE = 80  # what fits on two lines of a card
MAX_MINUTES = 120
Report = Callable[[int, str], None]


def split(text: str, report: Report) -> tuple[dict[str, Any], str, int]:
    """The head's values, the body, and the line of the file in which the body begins (from 0).

    What is wrong with the head is reported by line; what is missing has an empty value.

    Raises LessonRefused if there is no head that can be read.
    """
    lines = text.split("\n")
    ends = [i for i, line in enumerate(lines[:200]) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0] != 0:
        raise LessonRefused(
            [Problem(1, "The file begins with a head between two lines of ---: title, about, minutes, trains.")]
        )
    first = ends[1] + 1
    try:
        given, named = plain_yaml.load("\n".join(lines[1 : ends[1]]))
    except YamlRefused as refused:
        raise LessonRefused([Problem(2 + refused.line, refused.message)]) from None
    if not isinstance(given, dict):
        raise LessonRefused([Problem(2, "The head holds lines of the form name: value.")])
    head = _Head(given, {name: line + 2 for name, line in named.items()}, 1, report)
    return head.checked(), "\n".join(lines[first:]), first


class _Head(Block):
    """The values of a head, each checked."""

    def checked(self) -> dict[str, Any]:
        for name in self.values:
            if name not in NAMES:
                self.problem(f"The head has no field {name!r}; it has {', '.join(NAMES)}.", name)
        return {
            "title": self.line_of("title", MAX_TITLE),
            "about": self.line_of("about", 400),
            "minutes": self.minutes(),
            "needs": self.texts("needs"),
            "trains": self.line_of("trains", 200),
            "sources": self.texts("sources"),
        }

    def line_of(self, name: str, most: int) -> str:
        value = self.values.get(name)
        if not isinstance(value, str) or not value.strip():
            self.problem(f"The head needs a {name}: a text.", name)
            return ""
        if len(value) > most:
            self.problem(f"{name} has {len(value)} characters; at most {most} fit on a card.", name)
        return " ".join(value.split())

    def minutes(self) -> int:
        value = self.values.get("minutes")
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_MINUTES:
            self.problem(f"The head needs minutes: a whole number from 1 to {MAX_MINUTES}.", "minutes")
            return 1
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.problem(f"{name} is a list of texts, each on a line that begins with a dash.", name)
            return ()
        for i, one in enumerate(value, 1):
            if not isinstance(one, str) or not one.strip():
                self.problem(f"{name}: entry {i} isn't a text; put one with a colon in quotes.", name)
        return tuple(str(one).strip() for one in value)
