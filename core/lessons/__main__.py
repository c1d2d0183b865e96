"""A command line for authors of lessons.

python -m core.lessons check my-lesson.md …      print all problems by line (exit code 1); draws each exhibit
python -m core.lessons list                      list exhibits with controls, inputs and results, and the trainings
"""

import argparse
import importlib
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import get_annotations
from pathlib import Path
from typing import TYPE_CHECKING, get_args, get_type_hints

from streamlit import config
from streamlit.logger import set_log_level

if TYPE_CHECKING:
    from core.ui.room import ExhibitSpec


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m core.lessons", description="Tools for authors of lessons.")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="look for problems in files")
    checking.add_argument("files", nargs="+", type=Path, metavar="FILE")
    commands.add_parser("list", help="list the names that a lesson can use")
    given = parser.parse_args(arguments)
    config.get_config_options()  # reading them sets the log level, so they are read first
    set_log_level("ERROR")  # to hide the warnings about a missing browser
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a name may be any bytes
    if given.command == "list":
        _list()
        return 0
    return max(_check(path) for path in given.files)


def _check(path: Path) -> int:
    from core.lessons.format import catalog, dry_run, explanation_evidence_labels, name_checks, possible_answers
    from core.lessons.format.lesson import CheckQuestion, LessonRefused, PredictQuestion
    from core.lessons.format.parser import lesson_slug

    try:
        lesson = catalog.check_lesson_file(path)
        around = {
            lesson_slug(one.name) for folder in (catalog.LESSON_FOLDER, path.parent) for one in folder.glob("*.md")
        }
        if problems := name_checks.unknown_prerequisites(lesson, around):
            raise LessonRefused(problems)
        wrong, doubtful = dry_run.dry_run_lesson(lesson)
        wrong += explanation_evidence_labels.explanation_problems(lesson) + possible_answers.answer_option_problems(
            lesson
        )
        for one in doubtful:
            print(f"{path}, line {one.line}: is that meant? {one.message}")
        if wrong:
            raise LessonRefused(wrong)
    except LessonRefused as refused:
        for one in refused.problems:
            print(f"{path}, line {one.line}: {one.message}")
        return 1
    except (OSError, ValueError) as error:
        print(f"{path}: the file cannot be read: {getattr(error, 'strerror', None) or error}")
        return 1
    n_question = sum(isinstance(part, PredictQuestion | CheckQuestion) for step in lesson.steps for part in step.parts)
    print(f"{path}: ok: {lesson.title}, {len(lesson.steps)} steps, {n_question} questions")
    return 0


@dataclass(frozen=True)
class _ExhibitNames:
    """The names of an exhibit that a lesson can use: its controls in the address, its inputs and its results."""

    title: str
    controls: tuple[str, ...]
    inputs: tuple[str, ...]
    results: tuple[str, ...]


def _exhibit_names(entry: "ExhibitSpec") -> _ExhibitNames:
    """Read the names of an exhibit from its module."""
    module = importlib.import_module(entry.module)
    declared = list(module.Inputs.controls())
    made = get_type_hints(module.compute).get("return", object)
    results = {name for kind in get_args(made) or (made,) for name in _names(kind)}
    return _ExhibitNames(
        entry.exhibit().title,
        tuple(str(one.name) for _, one in declared if one.kind != "custom"),
        tuple(name for name, _ in declared),
        tuple(sorted(results)),
    )


def _names(kind: type) -> set[str]:
    fields = {name for one in kind.__mro__ for name in get_annotations(one)}
    return {name for name in fields | {*dir(kind)} - {*dir(tuple)} if not name.startswith("_")}


def _list() -> None:
    from core.lessons.lesson_ui.conditions import trainable_names
    from core.rooms import all_exhibits

    print("Exhibits (```exhibit name): the controls to set, lock and hide; the inputs and results of a question:")
    for name, entry in all_exhibits().items():
        found = _exhibit_names(entry)
        trains = f"; trains {', '.join(entry.experiments)}" if entry.experiments else ""
        print(f"  {name}: {found.title}{trains}")
        for what in ("controls", "inputs", "results"):
            if names := getattr(found, what):
                print(f"      {what}: {', '.join(names)}")
    print(f"\nTrainings (when: trained name): {', '.join(sorted(trainable_names()))}")


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # so that `| head` ends it quietly
    sys.exit(main())
