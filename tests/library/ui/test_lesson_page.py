"""A lesson as a page asks what the lesson asks, and answers what it answers; nothing is left to be filled in."""

from typing import Any

import pytest

from core.export.lesson_page import _question
from core.lessons.answers import Answer, answer_of
from core.lessons.format import shelf
from core.lessons.format.forms import fits
from core.lessons.format.lesson import Check, Curve, Number, Predict
from core.ui.exhibit.facts import to_page
from core.ui.widgets.message import pack
from tests.counts import rest_is_full

LESSONS = shelf.lessons()
SLUGS = [*LESSONS]


@pytest.mark.parametrize("slug", [*SLUGS[:8], *rest_is_full(*SLUGS[8:])])
def test_every_question_has_its_answer(slug: str) -> None:
    parts = [part for step in LESSONS[slug].steps for part in step.parts if isinstance(part, Predict | Check)]
    assert parts
    for part in parts:
        told: dict[str, Any] = _question(part)
        pack(told, {})
        assert "{came}" not in str(told) and "{{" not in str(told)
        assert told["ask"] == to_page(part.ask) and told["told"]
        if isinstance(part, Check):
            assert told["answer"] == to_page(part.options[part.right]) and not told["holds"]
            continue
        answer = answer_of(part, is_rehearsed=True)
        assert isinstance(answer, Answer) and told["holds"]
        if isinstance(part.form, Curve):
            assert told["told"].count("<tr>") == 1 + len(part.form.x)
        elif isinstance(part.form, Number):
            assert told["right"] == float(answer.value) and fits(part.form, told["right"])
        else:
            assert told["answer"] == told["options"][told["right"]] and told["right"] == str(answer.value)
