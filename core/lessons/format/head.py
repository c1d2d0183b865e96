"""The head of a lesson's file: what stands between the first two lines of ---."""

from collections.abc import Callable, Mapping
from typing import Any

from core.lessons.format import plain_yaml
from core.lessons.format.plain_yaml import YamlRefused
from core.lessons.format.problems import LessonRefused, Problem

NAMES = ("title", "about", "minutes", "needs", "trains", "sources")
MAX_TITLE = 80  # what fits on two lines of a card
MAX_MINUTES = 120
Report = Callable[[int, str], None]


def split(text: str, report: Report) -> tuple[dict[str, Any], str, int]:
    """The head's values, the body, and the line of the file in which the body begins (from 0).

    What is wrong with the head is reported by line; what is missing has an empty value.

    Raises:
        LessonRefused: if there is no head that can be read.
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
    head = _Head({str(name): value for name, value in given.items()}, named, report)
    return head.values(), "\n".join(lines[first:]), first


class _Head:
    """The values of a head, each checked."""

    def __init__(self, given: Mapping[str, Any], named: Mapping[str, int], report: Report) -> None:
        self.given, self.named, self._report = given, named, report

    def values(self) -> dict[str, Any]:
        for name in self.given:
            if name not in NAMES:
                self.problem(name, f"The head has no field {name!r}; it has {', '.join(NAMES)}.")
        return {
            "title": self.words("title", MAX_TITLE),
            "about": self.words("about", 400),
            "minutes": self.minutes(),
            "needs": self.texts("needs"),
            "trains": self.words("trains", 200),
            "sources": self.texts("sources"),
        }

    def problem(self, name: str, message: str) -> None:
        self._report(self.named.get(name, -1) + 2, message)

    def words(self, name: str, most: int) -> str:
        value = self.given.get(name)
        if not isinstance(value, str) or not value.strip():
            self.problem(name, f"The head needs a {name}: a text.")
            return ""
        if len(value) > most:
            self.problem(name, f"{name} has {len(value)} characters; at most {most} fit on a card.")
        return " ".join(value.split())

    def minutes(self) -> int:
        value = self.given.get("minutes")
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_MINUTES:
            self.problem("minutes", f"The head needs minutes: a whole number from 1 to {MAX_MINUTES}.")
            return 1
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.given.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.problem(name, f"{name} is a list of texts, each on a line that begins with a dash.")
            return ()
        for i, one in enumerate(value, 1):
            if not isinstance(one, str) or not one.strip():
                self.problem(name, f"{name}: entry {i} isn't a text; put one with a colon in quotes.")
        return tuple(str(one).strip() for one in value)
