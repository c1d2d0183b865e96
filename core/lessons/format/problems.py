"""What is wrong with a lesson's file, line by line."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """What is wrong, in plain words, and in which line of the file (from 1)."""

    line: int
    message: str


class LessonRefused(ValueError):
    """A file that is no lesson; `problems` says all that is wrong with it, from its first line on."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("; ".join(f"line {one.line}: {one.message}" for one in self.problems))
