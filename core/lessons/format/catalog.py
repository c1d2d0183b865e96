"""The shelf of lessons: those that ship, and a teacher's own in the folder `GLASSFORMER_LESSONS`."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.data.localization.labels import localized_path, module_labels
from core.data.localization.locales import LOCALE, PSEUDO_LOCALE
from core.exhibit import memoize
from core.lessons.format.lesson import Lesson, LessonProblem, LessonRefused
from core.lessons.format.name_checks import dead_links, unknown_lesson_references
from core.lessons.format.parser import MAX_BYTES, lesson_slug, parse_lesson
from core.lessons.format.pseudo_lesson import pseudo_translate_lesson

LABELS = module_labels(__name__)

ROOT = Path(__file__).resolve().parents[3]
LESSON_FOLDER = ROOT / "assets" / "lessons"
COURSES = {"short": LESSON_FOLDER / "short", "house": LESSON_FOLDER, "today": LESSON_FOLDER / "today"}  # in their order
MAX_FILES = 200  # of a folder; a page can't show more


@dataclass(frozen=True)
class LessonFile:
    """A file on the shelf, with its lesson or its problems."""

    file: str  # its name, without the folder
    slug: str  # the lesson's name in the address
    lesson: Lesson | None
    problems: tuple[LessonProblem, ...] = ()
    course: str = ""  # one of our `COURSES`, or "" for a teacher's lesson

    @property
    def is_own(self) -> bool:
        """True if the lesson ships with the app."""
        return bool(self.course)


def lesson_files() -> Mapping[str, LessonFile]:
    """Return all files by slug, in the order of their names: course by course, then a teacher's.

    A teacher's lesson never replaces another one: the first lesson with a name keeps it.
    """
    found: dict[str, LessonFile] = {}
    folders = [*COURSES.items(), *(("", folder) for folder in _teachers_folders())]
    for course, folder in folders:
        for path in _files(folder):
            one = _shelved(localized_path(path) if course else path, folder, course)
            if one.slug in found:
                taken = LessonProblem(1, LABELS("name_taken", file=found[one.slug].file))
                one = LessonFile(one.file, f"{one.slug} {len(found)}", None, (taken,), course)
            found[one.slug] = one
    return found


def catalog_lessons() -> Mapping[str, Lesson]:
    """Return the valid lessons by slug, in order."""
    return {slug: one.lesson for slug, one in lesson_files().items() if one.lesson is not None}


def _teachers_folders() -> tuple[Path, ...]:
    named = os.environ.get("GLASSFORMER_LESSONS", "")
    folder = Path(named).expanduser() if named else None
    return (folder,) if folder is not None and folder.is_dir() else ()


def _files(folder: Path) -> list[Path]:
    """Return the Markdown files of a folder by name, without hidden ones and README.md."""
    try:
        paths = sorted(folder.glob("*.md"))
    except OSError:
        return []
    return [path for path in paths if not path.name.startswith(".") and path.name.lower() != "readme.md"][:MAX_FILES]


def _shelved(path: Path, folder: Path, course: str) -> LessonFile:
    slug = lesson_slug(path.name)
    try:
        about, is_link = path.stat(), path.is_symlink()
        # A link may lead anywhere, and reading a pipe never ends.
        if not stat.S_ISREG(about.st_mode) or (is_link and not path.resolve().is_relative_to(folder.resolve())):
            raise LessonRefused([LessonProblem(1, LABELS["not_in_folder"])])
        lesson = _opened(str(path), slug, about.st_mtime_ns, about.st_size)
        return LessonFile(path.name, slug, lesson, course=course)
    except LessonRefused as refused:
        return LessonFile(path.name, slug, None, refused.problems, course)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or LABELS["invalid_name"]
        return LessonFile(path.name, slug, None, (LessonProblem(1, LABELS("unreadable", why=why)),), course)


def _opened(path: str, slug: str, changed: int, size: int) -> Lesson:
    found = _kept(path, slug, changed, size)
    if isinstance(found, Lesson):
        return found
    raise LessonRefused(found)


@memoize(2 * MAX_FILES)
def _kept(path: str, slug: str, changed: int, size: int) -> Lesson | tuple[LessonProblem, ...]:
    """Return a file's lesson or problems, cached by time of change and size, so that a changed file is read again."""
    try:
        lesson = check_lesson_file(Path(path), slug)
        return pseudo_translate_lesson(lesson) if LOCALE == PSEUDO_LOCALE else lesson
    except LessonRefused as refused:
        return refused.problems


def check_lesson_file(path: Path, slug: str | None = None) -> Lesson:
    """Read a lesson from its file and look up every name in it.

    Raises:
        LessonRefused: with all problems, by line.
        OSError: if the file can't be read.
    """
    with path.open("rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise LessonRefused([LessonProblem(1, LABELS("too_large", most=MAX_BYTES))])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + raw.count(b"\n", 0, error.start)
        raise LessonRefused([LessonProblem(line, LABELS["not_utf_8"])]) from None
    for i, line_text in enumerate(text.split("\n"), 1):
        if any(ord(c) < 32 and c not in "\t\r" for c in line_text):
            raise LessonRefused([LessonProblem(i, LABELS["control_character"])])
    return _check_lesson_text(text, lesson_slug(path.name) if slug is None else slug)


def _check_lesson_text(text: str, slug: str) -> Lesson:
    """Read a lesson and look up every name in it.

    Raises LessonRefused with all problems, by line.
    """
    lesson = parse_lesson(text, slug)
    if problems := [*unknown_lesson_references(lesson), *dead_links(lesson, text)]:
        raise LessonRefused(problems)
    return lesson
