"""Errata of the lecture notes, each run as written and corrected, with the difference as a number."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.exhibit import Table

LABELS = module_labels(__name__)

FloatArray = NDArray[np.floating]


@dataclass(frozen=True)
class LectureErratumResult:
    """The results of both versions, (R, C) each; NaN where a version gives nothing."""

    wrong: FloatArray
    right: FloatArray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    difference: float  # the difference between the two, as a number
    unit: str  # its unit, such as "of the output's length"
    said: str  # the result in words


@dataclass(frozen=True, kw_only=True)
class LectureErratum:
    """An erratum of the lecture notes."""

    where: str  # note and line, counted from 1: "3:47" is line 47 of the third note
    name: str
    note: str  # the text of the note, Markdown with formulas
    right: str  # the correction, likewise
    run: Callable[..., LectureErratumResult]  # computes both versions, from a seed, or from a model and a text
    kind: Literal["probability", "signed", "value"] = "probability"  # the color scale of the numbers
    titles: tuple[str, str] = (LABELS["as_written"], LABELS["right"])  # of the two pictures


def _errata_table(slips: Iterable[LectureErratum], *given: object) -> Table:
    """Return a table of errata with the difference between their versions; `given`: a seed, or a model and a text."""
    results = [(slip, slip.run(*given)) for slip in slips]
    return {
        LABELS["column.where"]: [slip.where for slip, _ in results],
        LABELS["column.slip"]: [slip.name for slip, _ in results],
        LABELS["column.difference"]: [float(f"{result.difference:.6g}") for _, result in results],
        LABELS["column.unit"]: [result.unit for _, result in results],
    }


@dataclass(frozen=True)
class LectureErrataRun:
    """The errata of a room, called with `given`, and the result of number `place`: exhibits "Slips in the notes"."""

    slips: tuple[LectureErratum, ...]
    given: tuple[object, ...]
    result: LectureErratumResult
    place: int

    def table(self) -> Table:
        """Return a table with a row for each erratum."""
        return _errata_table(self.slips, *self.given)


def demonstrate_lecture_erratum(slips: Iterable[LectureErratum], *given: object, place: int = 0) -> LectureErrataRun:
    """Run one of a room's errata."""
    every = tuple(slips)
    return LectureErrataRun(every, given, every[place].run(*given), place)


def index_names(letter: str, n: int, first: int = 1) -> tuple[str, ...]:
    """Return "q1", "q2", ... as names of rows or columns."""
    return tuple(f"{letter}{i}" for i in range(first, first + n))
