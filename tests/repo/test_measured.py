"""Explanations in lessons: each says what it rests on, and what is called measured is measured by a test.

A test holds a **Measured:** by the marker `measured`, which names the lesson and the first words of its question:

    @pytest.mark.measured("short/3-short-masks", "How does the model that learned by peeking do?")
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from core.lessons.format import catalog, explanation_evidence_labels
from core.lessons.format.lesson import Lesson
from core.lessons.format.parser import lesson_slug

ROOT = Path(__file__).resolve().parents[2]


@cache
def lessons() -> dict[str, Lesson]:
    """Path without .md -> the lesson, of all that ship."""
    paths = [path for folder in catalog.COURSES.values() for path in folder.glob("*.md") if path.name[0].isdigit()]
    known = catalog.catalog_lessons()
    return {
        path.relative_to(catalog.LESSON_FOLDER).as_posix().removesuffix(".md"): known[lesson_slug(path.name)]
        for path in paths
    }


def measured() -> Iterator[tuple[str, str]]:
    """(lesson, question) of each explanation that is called measured."""
    for path, lesson in lessons().items():
        for question in explanation_evidence_labels._lesson_questions(lesson):
            if explanation_evidence_labels.MEASURED in dict(explanation_evidence_labels._split_marks(question.because)):
                yield path, question.ask


def markers() -> Iterator[tuple[str, str, str]]:
    """(where, lesson, first words) of each marker in the tests."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.measured(" not in text or path == Path(__file__):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.measured":
                lesson, words = (ast.literal_eval(one) for one in node.args)
                yield f"{path.relative_to(ROOT)}:{node.lineno}", lesson, words


def test_each_explanation_states_its_basis() -> None:
    found = {path: explanation_evidence_labels.explanation_problems(lesson) for path, lesson in lessons().items()}
    wrong = [f"{path}.md, line {one.line}: {one.message}"
             for path, faults in found.items() for one in faults]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_every_sentence_marked_measured_is_measured() -> None:
    """This catches a sentence marked as measured that no test computes, and a test of a question that is gone."""
    asked = Counter(measured())
    held: set[tuple[str, str]] = set()
    for where, path, words in markers():
        found = [ask for lesson, ask in asked if lesson == path and ask.startswith(words)]
        assert len(found) == 1, f"{where}: {len(found)} measured questions of {path!r} begin with {words!r}"
        held.add((path, found[0]))
    assert not [one for one, n in asked.items() if n > 1], "two questions of a lesson are the same"
    loose = [f"{path}.md: {ask!r}" for path, ask in asked if (path, ask) not in held]
    assert not loose, "no test is marked as measuring these: \n" + "\n".join(loose)
