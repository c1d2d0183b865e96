"""A lesson as a page asks what the lesson asks, and answers what it answers; nothing is left to be filled in."""

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from core.browser.markdown_html import markdown_to_page_html
from core.browser.message_packing import pack_message, unpack_message
from core.export import lesson_page
from core.export.lesson_page import _question
from core.lessons.computed_answers import ComputedAnswer, compute_answer
from core.lessons.format import catalog
from core.lessons.format.forms import fits_form
from core.lessons.format.lesson import CheckQuestion, CurveAnswerForm, NumberForm, PredictQuestion
from tests.counts import rest_is_full

LESSONS = catalog.catalog_lessons()
SLUGS = [*LESSONS]


@pytest.mark.parametrize("slug", [*SLUGS[:8], *rest_is_full(*SLUGS[8:])])
def test_every_question_has_its_answer(slug: str) -> None:
    parts = [
        part for step in LESSONS[slug].steps for part in step.parts if isinstance(part, PredictQuestion | CheckQuestion)
    ]
    assert parts
    for part in parts:
        told: dict[str, Any] = _question(part)
        pack_message(told, {})
        assert "{came}" not in str(told) and "{{" not in str(told)
        assert told["ask"] == markdown_to_page_html(part.ask) and told["told"]
        if isinstance(part, CheckQuestion):
            assert told["answer"] == markdown_to_page_html(part.options[part.right]) and not told["holds"]
            continue
        answer = compute_answer(part, is_rehearsed=True)
        assert isinstance(answer, ComputedAnswer) and told["holds"]
        if isinstance(part.form, CurveAnswerForm):
            assert told["told"].count("<tr>") == 1 + len(part.form.x)
        elif isinstance(part.form, NumberForm):
            assert told["right"] == float(answer.value) and fits_form(part.form, told["right"])
        else:
            assert told["answer"] == told["options"][told["right"]] and told["right"] == str(answer.value)


def test_a_course_leads_to_each_lesson_and_from_one_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    led: dict[str, list[str]] = {}
    monkeypatch.setattr(lesson_page, "lesson_page", lambda lesson, links: led.setdefault(lesson.slug, links) and "page")
    some = list(LESSONS.values())[:3]
    files = list(lesson_page.write_course(tmp_path, some))
    assert [one.stem for one in files] == [*(lesson.slug for lesson in some), "index"]
    assert [to for to, _ in led[some[1].slug]] == ["index.html", f"{some[0].slug}.html", f"{some[2].slug}.html"]
    content = json.loads(re.findall(r'id="content">(.*?)</script>', files[-1].read_text(encoding="utf-8"))[0])
    cards = [unpack_message(zlib.decompress(b64decode(one["data"])))[0]["html"][""] for one in content["widgets"]]
    assert [re.findall('href="(.*?)"', card) for card in cards] == [[f"{lesson.slug}.html"] for lesson in some]
