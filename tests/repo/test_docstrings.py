"""Docstrings are written in native English: two budgets that can only go down.

What this catches: a docstring that starts like a translated sentence ("What stands there"), and the words that were
hardest to read in earlier ones. `.github/CONTRIBUTING.md` says what to write in their place.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "core"
HABITS = {
    "starts with What, Of, Who, Which, How, Where, By or Whether": (
        r"\A(What|Of|Who|Which|How|Where|By|Whether)\b",
        0,
    ),
    "stands, told, beside, likeliest, is none, so many, anew, whoever, in plain words": (
        r"(?i)\b(stands?|stood|told|beside|likel(ier|iest)|(is|are) none|so many|anew|whoever|in plain words)\b",
        57,
    ),
}


def docstrings() -> Iterator[tuple[str, str]]:
    """Place and text of every docstring in core."""
    for path in sorted(CORE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            has_docstring = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            if has_docstring and (text := ast.get_docstring(node)):
                yield f"{path.relative_to(CORE)}:{getattr(node, 'lineno', 1)}", text


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_stays_within_its_budget(habit: str) -> None:
    pattern, budget = HABITS[habit]
    found = [(place, match[0]) for place, text in docstrings() for match in re.finditer(pattern, text)]
    assert len(found) <= budget, f"{len(found)} docstrings: {habit}; at most {budget}. {found}"
    assert len(found) == budget, f"well done: lower the budget of {habit!r} to {len(found)}"
