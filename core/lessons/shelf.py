"""Where the lessons are: those of the house, and those that a teacher put into the folder `GLASSFORMER_LESSONS`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.lessons.answers import ANSWERS
from core.lessons.catalogue import CATALOGUE
from core.lessons.done import check_condition
from core.lessons.lesson import Do, Lesson, Piece, Predict
from core.lessons.read import LessonRefused, Problem, read, slug_of

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "assets" / "lessons"
MAX_FILES = 200


@dataclass(frozen=True)
class Shelved:
    """A file on the shelf: a lesson, or what is wrong with it.

    Attributes:
        file: its name, without the folder.
        is_own: whether it came with the house.
    """

    file: str
    slug: str
    is_own: bool
    lesson: Lesson | None
    problems: tuple[Problem, ...] = ()


def on_shelf() -> Mapping[str, Shelved]:
    """All lessons by slug, in the order of their files' names; a teacher's after those of the house.

    A teacher's lesson may not take the place of one of the house.
    """
    found: dict[str, Shelved] = {}
    for folder, is_own in ((OWN, True), *((one, False) for one in _teachers_folders())):
        for path in sorted(folder.glob("*.md"))[:MAX_FILES]:
            one = _shelved(path, is_own)
            found.setdefault(one.slug if one.slug not in found else f"{one.slug}-{len(found)}", one)
    return found


def _teachers_folders() -> tuple[Path, ...]:
    named = os.environ.get("GLASSFORMER_LESSONS", "")
    folder = Path(named).expanduser() if named else None
    return (folder,) if folder is not None and folder.is_dir() else ()


def _shelved(path: Path, is_own: bool) -> Shelved:
    slug = slug_of(path.name)
    try:
        lesson = check(path.read_bytes().decode("utf-8", "replace"), slug)
    except LessonRefused as refused:
        return Shelved(path.name, slug, is_own, None, refused.problems)
    except OSError as error:
        return Shelved(path.name, slug, is_own, None, (Problem(1, f"The file cannot be read: {error.strerror}."),))
    return Shelved(path.name, slug, is_own, lesson)


def check(text: str, slug: str) -> Lesson:
    """Read a lesson and look up every name in it.

    Raises:
        LessonRefused: with all that is wrong, by line.
    """
    lesson = read(text, slug)
    problems = [problem for step in lesson.steps for part in step.parts for problem in _unknown(part)]
    if problems:
        raise LessonRefused(problems)
    return lesson


def _unknown(part: object) -> list[Problem]:
    if isinstance(part, Piece) and part.name not in CATALOGUE:
        return [Problem(part.line, f"There is no exhibit {part.name!r}.{_near(part.name, CATALOGUE)}")]
    if isinstance(part, Predict) and part.answer is not None and part.answer not in ANSWERS:
        return [Problem(part.line, f"There is no answer {part.answer!r}.{_near(part.answer, ANSWERS)}")]
    if isinstance(part, Do) and (message := check_condition(part.when)):
        return [Problem(part.line, message)]
    return []


def _near(name: str, known: Mapping[str, object]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, 3)
    return f" Did you mean {' or '.join(close)}?" if close else ""
