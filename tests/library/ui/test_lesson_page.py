"""A lesson as a page asks what the lesson asks, and answers what it answers; nothing is left to be filled in."""

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from core.browser.message import pack, unpack
from core.browser.text import to_page
from core.export import lesson_page
from core.export.lesson_page import _question
from core.lessons.answers import Answer, answer_of
from core.lessons.format import shelf
from core.lessons.format.forms import fits
from core.lessons.format.lesson import Check, Curve, Number, Predict
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


def test_a_course_leads_to_each_lesson_and_from_one_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    led: dict[str, list[str]] = {}
    monkeypatch.setattr(lesson_page, "lesson_page", lambda lesson, links: led.setdefault(lesson.slug, links) and "page")
    some = list(LESSONS.values())[:3]
    files = list(lesson_page.course(tmp_path, some))
    assert [one.stem for one in files] == [*(lesson.slug for lesson in some), "index"]
    assert [to for to, _ in led[some[1].slug]] == ["index.html", f"{some[0].slug}.html", f"{some[2].slug}.html"]
    content = json.loads(re.findall(r'id="content">(.*?)</script>', files[-1].read_text(encoding="utf-8"))[0])
    cards = [unpack(zlib.decompress(b64decode(one["data"])))[0]["html"][""] for one in content["widgets"]]
    assert [re.findall('href="(.*?)"', card) for card in cards] == [[f"{lesson.slug}.html"] for lesson in some]
