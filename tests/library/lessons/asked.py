"""Questions of the lessons by their place: "masks/2" is the first one of step 2, "gpt/3.2" the second of step 3."""

from dataclasses import replace
from typing import Any

from core.lessons.computed_answers import ComputedAnswer, compute_answer
from core.lessons.format import catalog
from core.lessons.format.lesson import PredictQuestion


def questions() -> dict[str, PredictQuestion]:
    """All that are answered by a computation."""
    found = {}
    for slug, lesson in catalog.catalog_lessons().items():
        for number, step in enumerate(lesson.steps, 1):
            asked = [part for part in step.parts if isinstance(part, PredictQuestion) and part.answer]
            for n, part in enumerate(asked, 1):
                found[f"{slug}/{number}" if n == 1 else f"{slug}/{number}.{n}"] = part
    return found


def of(place: str, **inputs: Any) -> ComputedAnswer:
    """The answer, of the examples that ship; `inputs` in place of the lesson's."""
    question = questions()[place]
    found = compute_answer(replace(question, given={**question.given, **inputs}), is_rehearsed=True)
    assert isinstance(found, ComputedAnswer), found.sentence
    assert found.sentence and found.code is not None
    return found


def came(place: str, **inputs: Any) -> Any:
    """Its value."""
    return of(place, **inputs).value
