"""What somebody new reads, at the depth Story: plain words, and each term of the field explained where it stands.

What this catches: a symbol, a formula or a name from the code among the plain words, and a term that a lesson uses
without saying what it is. A term is explained where it stands in bold. `tests/rooms/test_every_room.py` reads rooms,
and `tests/browser/test_walk.py` hears what pictures say.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import pytest

from core.data import glossary
from core.lessons.format import catalog
from core.lessons.format.lesson import CheckQuestion, ExhibitTask, Lesson, PredictQuestion, Prose

# Words of the glossary that anybody knows, or that Home explains to everybody.
PLAIN = {"token", "vocabulary", "attention", "attention head", "attention map", "attention weights", "layer", "block",
         "decoder", "encoder", "transformer", "id", "seed", "prompt", "context", "alignment", "palette", "merge",
         "accuracy", "corpus", "mask", "sampling", "parameter", "frozen", "patch", "segment", "start token",
         "end token", "hypothesis", "gate", "value"}  # fmt: skip
SYMBOL = re.compile(
    r"\$[^$]+\$"  # a formula
    r"|[√∑Σ∏∂∇≈≤≥∈²³⁻⁰¹⁴-⁹₀-₉α-ωΑ-Ω]"  # a sign of mathematics
    r"|\b[WQKVXO]_\w|\b[a-z]_(?:[a-z0-9]|\{)|\bd_\w+"  # a name with an index
    r"|`[^`\n]*[._(][^`\n]*`"  # a name from the code
    r"|\bO\([nT]"
)


@lru_cache(maxsize=1)
def jargon() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The glossary's terms that need explaining, with all words that lead to them."""
    found = []
    for term in glossary.glossary_terms():
        forms = {form for form in (*term.forms, *map(glossary.regular_plural, term.forms)) if form}
        if term.name not in PLAIN and forms:
            words = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
            found.append((term.name, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)))
    return tuple(found)


def bold(text: str) -> str:
    """What stands in bold: where a term is explained, and the names of controls."""
    return " | ".join(re.findall(r"\*\*(.+?)\*\*", text, flags=re.DOTALL))


def read_aloud(lesson: Lesson) -> Iterator[str]:
    """What a lesson tells everybody, in its order."""
    for step in lesson.steps:
        yield step.title
        for part in step.parts:
            if isinstance(part, Prose) and part.depth == "story":
                yield part.text
            elif isinstance(part, PredictQuestion | CheckQuestion):
                yield part.ask
                yield part.because
            elif isinstance(part, ExhibitTask):
                yield part.say


@pytest.mark.parametrize("slug", [slug for slug, one in catalog.lesson_files().items() if one.is_own])
def test_a_lesson_explains_each_term_before_it_uses_it(slug: str) -> None:
    lessons = catalog.catalog_lessons()
    known = " ".join(bold("\n".join(read_aloud(one))) for one in _before(slug))
    symbols, unexplained = [], set()
    for text in read_aloud(lessons[slug]):
        known += " " + bold(text)
        symbols += [f"{found[0]!r} in {text[:90]!r}" for found in [SYMBOL.search(text)] if found]
        unexplained |= {
            f"{name}: {text[:60]!r}" for name, words in jargon() if words.search(text) and not words.search(known)
        }
    assert not symbols, symbols
    assert not unexplained, sorted(unexplained)


def _before(slug: str) -> Iterator[Lesson]:
    """The lessons before this one on its own path; the second course goes on from the first."""
    known = catalog.lesson_files()
    for earlier, one in known.items():
        if earlier == slug:
            return
        if one.lesson is not None and (one.course == "short") == (known[slug].course == "short"):
            yield one.lesson
