"""Export of a lesson as one HTML file with text, exhibits and questions with computed answers, or of all lessons."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from core.browser.capture import Chart, Sent
from core.browser.message import pack
from core.browser.page import Content, web_page
from core.browser.text import as_message, code_block, html_message, sentence, to_page
from core.data.output import entries
from core.export.files import is_page, write_page
from core.lessons.answers import AnswerPending, answer_of
from core.lessons.format import shelf
from core.lessons.format.forms import short, shown
from core.lessons.format.lesson import Check, Choice, Code, Curve, Do, ExhibitPart, Lesson, Number, Predict, Prose, Step
from core.lessons.format.names import find
from core.lessons.page.reveal import WRITTEN
from core.rooms import exhibits
from core.ui.exhibit.panels import MADE, source_of

SECONDS = 900.0  # for all exhibits of a lesson
STEP = "exhibits-of-the-step"
INDEX = "index.html"


def course(folder: Path, lessons: Sequence[Lesson]) -> Iterator[Path]:
    """Write a folder for any static host: a page for each lesson, and an index with links to them."""
    folder.mkdir(parents=True, exist_ok=True)
    for before, lesson, after in zip([None, *lessons], lessons, [*lessons[1:], None], strict=False):
        links = [(INDEX, "All lessons"), *((f"{one.slug}.html", one.title) for one in (before, after) if one)]
        yield _write(folder / f"{lesson.slug}.html", lesson_page(lesson, links))
    listed = [Sent("sentence", html_message(_card(one), "text"), own_style=False) for one in lessons]
    yield _write(folder / INDEX, web_page(Content("Lessons", "A transformer that you can see through.", listed)))


def is_course(folder: Path, slugs: Iterable[str]) -> bool:
    """True if a folder was written by `course`: each file that it would write is missing or ours.

    Other files may be in it, if it has our index.
    """
    pages = {INDEX, *(f"{slug}.html" for slug in slugs)}
    there = set(entries(folder))
    return all(is_page(folder / name) for name in pages & there) and (INDEX in there or there <= pages)


def _card(lesson: Lesson) -> str:
    title, about = html.escape(lesson.title), html.escape(lesson.about)
    return f'<p><a href="{lesson.slug}.html"><b>{title}</b></a> · {lesson.minutes} minutes<br>{about}</p>'


def lesson_page(lesson: Lesson, links: Sequence[tuple[str, str]] = ()) -> str:
    """Return a lesson as an HTML file; `links` lead to its neighboring pages."""
    drawn = _drawn(lesson)
    sent: list[Sent | Chart] = []
    for number, step in enumerate(lesson.steps, 1):
        sent.append(_text(f"## {number}. {step.title}"))
        sent += _step(step, number, drawn)
    if lesson.sources:
        sent.append(_text("## Sources\n\n" + "\n".join(f"- {one}" for one in lesson.sources)))
    way = " · ".join(f'<a href="{html.escape(to)}">{html.escape(label)}</a>' for to, label in links)
    return web_page(Content(lesson.title, sentence(lesson.about), sent), f"<p>{way}</p>" if way else "")


def _step(step: Step, number: int, drawn: Mapping[str, Content]) -> list[Sent | Chart]:
    """Return all parts of a step. A part that would give an answer away waits for the question before it."""
    sent: list[Sent | Chart] = []
    asked: list[tuple[int, dict[str, object]]] = []
    for i, part in enumerate(step.parts):
        if isinstance(part, Predict | Check):
            asked.append((len(sent), _question(part)))
            sent.append(_text(""))
        elif isinstance(part, ExhibitPart):
            sent += _exhibit(drawn.get(_key(number, i)), part)
        else:
            sent += [_text(text, look) for text, look in _words(part)]
    for at, header in asked:
        holds = len(sent) - at - 1 if header.pop("holds") else 0
        sent[at] = Sent("question", pack({**header, "holds": holds}, {}), own_style=False)
    return sent


def _words(part: object) -> Iterator[tuple[str, str]]:
    if isinstance(part, Prose):
        yield part.text, "text"
    elif isinstance(part, Do):
        yield f"In the app: {part.say}", "caption"
    elif isinstance(part, Code):
        source, place = source_of(find(part.place))
        yield f"{place}\n\n{code_block(source)}", "text"


def _exhibit(content: Content | None, part: ExhibitPart) -> list[Sent | Chart]:
    if content is None:
        return [_text(f"“{exhibits()[part.name].exhibit().title}” is only in the app.", "caption")]
    head = f"<h3>{html.escape(content.title)}</h3><p>{content.look_for}</p>"
    return [Sent("sentence", html_message(head, "text"), False), *content.sent]


def _question(part: Predict | Check) -> dict[str, object]:
    """Return the question that the browser asks, with its replies."""
    if isinstance(part, Check):
        why = {one: to_page(text) for one, text in part.why.items()}
        form, right, told = Choice(options=part.options), part.right, part.because
        return _asked(part.ask, form, right, told) | {"why": why, "kind": "Check", "holds": False}
    answer = answer_of(part, is_rehearsed=True)
    if isinstance(answer, AnswerPending):
        return _asked(part.ask, Choice(options={}), "", answer.sentence) | {"kind": "Predict", "holds": False}
    value = answer.value
    because = part.because.replace("{came}", shown(part.form, value)).replace("{guess}", "your answer")
    text = [_curve(part.form, value), because, answer.sentence if part.answer else WRITTEN]
    return _asked(part.ask, part.form, value, "\n\n".join(filter(None, text))) | {"kind": "Predict", "holds": True}


def _curve(form: Any, heights: Any) -> str:
    """Return the resulting curve as a table; "" for any other kind of answer."""
    if not isinstance(form, Curve):
        return ""
    rows = [f"| {short(x)} | {short(y)} |" for x, y in zip(form.x, heights, strict=True)]
    return "\n".join([f"| {form.x_title} | {form.y_title} |", "|---|---|", *rows])


def _asked(ask: str, form: Any, value: Any, told: str) -> dict[str, object]:
    options = {one: to_page(text) for one, text in form.options.items()} if isinstance(form, Choice) else {}
    number = {"low": form.low, "high": form.high, "unit": form.unit} if isinstance(form, Number) else None
    answer = "" if isinstance(form, Curve) or value == "" else to_page(shown(form, value))
    right = float(value) if isinstance(form, Number) else str(value)
    told = to_page(told)
    return {
        "ask": to_page(ask), "options": options, "number": number, "right": right, "answer": answer, "told": told,
        "why": {},
    }  # fmt: skip


def _text(text: str, look: str = "text") -> Sent:
    return Sent("sentence", as_message(text, look), own_style=False)


def _key(number: int, i: int) -> str:
    return f"s{number}x{i}"


def _drawn(lesson: Lesson) -> dict[str, Content]:
    """Draw the exhibits of a lesson in their initial state, with the examples that ship; returns them by key."""
    made: dict[str, Content] = {}
    for number, step in enumerate(lesson.steps, 1):
        test = AppTest.from_function(_draw, default_timeout=SECONDS)
        test.session_state[MADE] = {}
        test.session_state[STEP] = {
            _key(number, i): part for i, part in enumerate(step.parts) if isinstance(part, ExhibitPart)
        }
        test.run()
        if test.exception:
            raise ValueError(f"{lesson.title}, step {number}: {test.exception[0].value}")
        made |= test.session_state[MADE]
    return {name.rpartition("-")[2]: content for name, content in made.items()}


def _draw() -> None:
    """Draw a page with a step's exhibits, each with its own choices. It runs from its source, so it has all imports."""
    import streamlit as st

    from core.export.lesson_page import STEP
    from core.lessons.page.exhibit_parts import show_exhibit

    for key, part in st.session_state[STEP].items():
        show_exhibit(part, key, (), key)


def _write(path: Path, page: str) -> Path:
    write_page(path, page)
    return path


def lessons() -> dict[str, Lesson]:
    """Return all lessons, by slug."""
    return dict(shelf.lessons())
