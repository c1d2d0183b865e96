"""The marks in a `because:`, which classify sentences as measured, our explanation, or true by definition.

    because: >-
      **Measured:** one loss falls while the other rises. **Our explanation:** the model memorizes its lines (Carlini et
      al., 2022).

A mark applies to everything up to the next one. Numbers are computed, and explanations next to them are easily
believed, so each explanation states its basis.
"""

import re
from collections.abc import Iterator

from core.lessons.format.lesson import CheckQuestion, Lesson, LessonProblem, PredictQuestion

MEASURED, EXPLANATION, DEFINITION = MARKS = ("Measured", "Our explanation", "By definition")
_MARK = re.compile(r"\*\*([^*]{1,40}):\*\*")
_CHOICE = ", ".join(f"**{mark}:**" for mark in MARKS[:-1]) + f" or **{MARKS[-1]}:**"
# An author and a year, a link, or the admission that it is untested.
_SOURCE = re.compile(
    r"[A-Z][\w'’-]+[^()!?]{0,60}\((1[89]|20)\d\d[a-z]?[^()]*\)|\([^()]*[A-Z][^()]*\b(1[89]|20)\d\d[a-z]?\b[^()]*\)"
    r"|\]\(https?://|https?://|[Ww]e haven['’]t tested (that|this)\b"
)


def explanation_problems(lesson: Lesson) -> list[LessonProblem]:
    """Return a problem for each explanation of a lesson without a mark, or whose mark lacks a source or a sentence."""
    return [
        LessonProblem(part.line, message)
        for part in _lesson_questions(lesson)
        for message in _mark_problems(part.because)
    ]


def _lesson_questions(lesson: Lesson) -> Iterator[PredictQuestion | CheckQuestion]:
    """Yield the questions of a lesson, in order."""
    for step in lesson.steps:
        yield from (part for part in step.parts if isinstance(part, PredictQuestion | CheckQuestion))


def _split_marks(because: str) -> list[tuple[str, str]]:
    """Split an explanation into (mark, text), in order; text before the first mark has the mark ""."""
    pieces = _MARK.split(because)
    before = [("", pieces[0].strip())] if pieces[0].strip() else []
    return before + [(mark, text.strip()) for mark, text in zip(pieces[1::2], pieces[2::2], strict=True)]


def _mark_problems(because: str) -> list[str]:
    """Return the problems with the marks of one explanation; [] if it is empty."""
    found = []
    for mark, text in _split_marks(because):
        if not mark:
            found.append(f"because: begin with a mark, {_CHOICE} “{text[:40]}” has none before it.")
        elif mark not in MARKS:
            found.append(f"because: **{mark}:** isn't a mark; write {_CHOICE}")
        elif not re.search(r"\w", text):
            found.append(f"because: write a sentence after **{mark}:**")
        elif mark == EXPLANATION and not _SOURCE.search(text):
            found.append(
                f"because: after **{EXPLANATION}:** name a source, as in “Dong et al. (2021)” or a link, or write "
                "“we haven't tested that”."
            )
    for at in (one.start() for one in _MARK.finditer(because)):
        if (before := because[:at].rstrip()) and not re.search(r"[.!?:][”\"'’)*_$]*$", before):
            found.append(f"because: a mark begins a sentence, but here it follows “{before[-30:]}”.")
    return found
