"""Slips of the lecture notes, each run as written and as it is right, with the difference in a number."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.exhibit import Table

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Measured:
    """The results of both versions, (R, C) each; nan where one gives nothing."""

    wrong: Array
    right: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    difference: float  # the one number in which they differ
    unit: str  # what it is of, such as "of the output's length"
    said: str  # what is seen, in words


@dataclass(frozen=True, kw_only=True)
class Slip:
    """One slip."""

    where: str  # note and line, counted from 1: "3:47" is line 47 of the third note
    name: str
    note: str  # what the note has, Markdown with formulas
    right: str  # what is right, likewise
    run: Callable[..., Measured]  # both; of a seed, or of a model and a text
    kind: Literal["probability", "signed", "value"] = "probability"  # how the numbers are colored
    titles: tuple[str, str] = ("As written", "Right")  # of the two pictures


def table(slips: Iterable[Slip], *given: object) -> Table:
    """Each slip with the number in which the two versions differ; `given`: a seed, or a model and a text."""
    results = [(slip, slip.run(*given)) for slip in slips]
    return {
        "note and line": [slip.where for slip, _ in results],
        "slip": [slip.name for slip, _ in results],
        "difference": [float(f"{result.difference:.6g}") for _, result in results],
        "of what": [result.unit for _, result in results],
    }


@dataclass(frozen=True)
class SlipRun:
    """Slips of a room, called with `given`, and what came of the one at `place`: the exhibits "Slips in the notes"."""

    slips: tuple[Slip, ...]
    given: tuple[object, ...]
    result: Measured
    place: int

    def table(self) -> Table:
        """One line for each of them."""
        return table(self.slips, *self.given)


def run_slip(slips: Iterable[Slip], *given: object, place: int = 0) -> SlipRun:
    """Run one of a room's slips."""
    every = tuple(slips)
    return SlipRun(every, given, every[place].run(*given), place)


def names(letter: str, n: int, first: int = 1) -> tuple[str, ...]:
    """ "q1", "q2", ... as names of rows or columns."""
    return tuple(f"{letter}{i}" for i in range(first, first + n))
