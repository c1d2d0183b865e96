"""Questions of the lessons by their place: "masks/2" is the first one of step 2, "gpt/3.2" the second of step 3."""

from dataclasses import replace
from typing import Any

from core.lessons.answers import Answer, answer_of
from core.lessons.format import shelf
from core.lessons.format.lesson import Predict


def questions() -> dict[str, Predict]:
    """All that are answered by a computation."""
    found = {}
    for slug, lesson in shelf.lessons().items():
        for number, step in enumerate(lesson.steps, 1):
            asked = [part for part in step.parts if isinstance(part, Predict) and part.answer]
            for n, part in enumerate(asked, 1):
                found[f"{slug}/{number}" if n == 1 else f"{slug}/{number}.{n}"] = part
    return found


def of(place: str, **inputs: Any) -> Answer:
    """The answer, of the examples that ship; `inputs` in place of the lesson's."""
    question = questions()[place]
    found = answer_of(replace(question, given={**question.given, **inputs}), is_rehearsed=True)
    assert isinstance(found, Answer), found.sentence
    assert found.sentence and found.code is not None
    return found


def came(place: str, **inputs: Any) -> Any:
    """Its value."""
    return of(place, **inputs).value
