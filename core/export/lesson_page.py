"""Export of a lesson as one HTML file with text, exhibits and questions with computed answers, or of all lessons."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from core.browser.markdown_html import (
    markdown_code_block,
    markdown_message,
    markdown_to_page_html,
    sentence_to_html,
    trusted_html_message,
)
from core.browser.message_capture import Chart, MessageToWidget
from core.browser.message_packing import pack_message
from core.browser.page import PageContent, web_page
from core.data.localization.labels import module_labels
from core.data.output_paths import folder_entries
from core.export.files import is_exported_page, write_page
from core.lessons.computed_answers import AnswerPending, compute_answer
from core.lessons.format import catalog
from core.lessons.format.forms import answer_text, readable_number
from core.lessons.format.lesson import (
    CheckQuestion,
    ChoiceForm,
    CodeExcerpt,
    CurveAnswerForm,
    ExhibitPart,
    ExhibitTask,
    Lesson,
    LessonStep,
    NumberForm,
    PredictQuestion,
    Prose,
)
from core.lessons.format.name_checks import find_function_or_class
from core.lessons.lesson_ui.reveal import WRITTEN_BY_AUTHOR
from core.rooms import all_exhibits
from core.ui.exhibit.exhibit_panels import EXPORTED_PAGES, source_of

LABELS = module_labels(__name__)

SECONDS = 900.0  # for all exhibits of a lesson
STEP = "exhibits-of-the-step"
INDEX = "index.html"


def write_course(folder: Path, lessons: Sequence[Lesson]) -> Iterator[Path]:
    """Write a folder for any static host: a page for each lesson, and an index with links to them."""
    folder.mkdir(parents=True, exist_ok=True)
    for before, lesson, after in zip([None, *lessons], lessons, [*lessons[1:], None], strict=False):
        links = [(INDEX, LABELS["all_lessons"]), *((f"{one.slug}.html", one.title) for one in (before, after) if one)]
        yield _write(folder / f"{lesson.slug}.html", lesson_page(lesson, links))
    listed = [MessageToWidget("sentence", trusted_html_message(_card(one), "text"), own_style=False) for one in lessons]
    yield _write(folder / INDEX, web_page(PageContent(LABELS["lessons"], LABELS["about_course"], listed)))


def is_course_folder(folder: Path, slugs: Iterable[str]) -> bool:
    """True if a folder was written by `write_course`: each file that it would write is missing or ours.

    Other files may be in it, if it has our index.
    """
    pages = {INDEX, *(f"{slug}.html" for slug in slugs)}
    there = set(folder_entries(folder))
    return all(is_exported_page(folder / name) for name in pages & there) and (INDEX in there or there <= pages)


def _card(lesson: Lesson) -> str:
    title, about = html.escape(lesson.title), html.escape(lesson.about)
    minutes = LABELS("minutes", n=lesson.minutes)
    return f'<p><a href="{lesson.slug}.html"><b>{title}</b></a> · {minutes}<br>{about}</p>'


def lesson_page(lesson: Lesson, links: Sequence[tuple[str, str]] = ()) -> str:
    """Return a lesson as an HTML file; `links` lead to its neighboring pages."""
    drawn = _drawn(lesson)
    sent: list[MessageToWidget | Chart] = []
    for number, step in enumerate(lesson.steps, 1):
        sent.append(_text(f"## {number}. {step.title}"))
        sent += _step(step, number, drawn)
    if lesson.sources:
        sources = "\n".join(f"- {one}" for one in lesson.sources)
        sent.append(_text(f"## {LABELS['sources']}\n\n{sources}"))
    way = " · ".join(f'<a href="{html.escape(to)}">{html.escape(label)}</a>' for to, label in links)
    return web_page(PageContent(lesson.title, sentence_to_html(lesson.about), sent), f"<p>{way}</p>" if way else "")


def _step(step: LessonStep, number: int, drawn: Mapping[str, PageContent]) -> list[MessageToWidget | Chart]:
    """Return all parts of a step. A part that would give an answer away waits for the question before it."""
    sent: list[MessageToWidget | Chart] = []
    asked: list[tuple[int, dict[str, object]]] = []
    for i, part in enumerate(step.parts):
        if isinstance(part, PredictQuestion | CheckQuestion):
            asked.append((len(sent), _question(part)))
            sent.append(_text(""))
        elif isinstance(part, ExhibitPart):
            sent += _exhibit(drawn.get(_key(number, i)), part)
        else:
            sent += [_text(text, look) for text, look in _words(part)]
    for at, header in asked:
        holds = len(sent) - at - 1 if header.pop("holds") else 0
        sent[at] = MessageToWidget("question", pack_message({**header, "holds": holds}, {}), own_style=False)
    return sent


def _words(part: object) -> Iterator[tuple[str, str]]:
    if isinstance(part, Prose):
        yield part.text, "text"
    elif isinstance(part, ExhibitTask):
        yield LABELS("in_app", say=part.say), "caption"
    elif isinstance(part, CodeExcerpt):
        source, place = source_of(find_function_or_class(part.place))
        yield f"{place}\n\n{markdown_code_block(source)}", "text"


def _exhibit(content: PageContent | None, part: ExhibitPart) -> list[MessageToWidget | Chart]:
    if content is None:
        return [_text(LABELS("only_in_app", title=all_exhibits()[part.name].exhibit().title), "caption")]
    head = f"<h3>{html.escape(content.title)}</h3><p>{content.look_for}</p>"
    return [MessageToWidget("sentence", trusted_html_message(head, "text"), False), *content.sent]


def _question(part: PredictQuestion | CheckQuestion) -> dict[str, object]:
    """Return the question that the browser asks, with its replies."""
    if isinstance(part, CheckQuestion):
        why = {one: markdown_to_page_html(text) for one, text in part.why.items()}
        form, right, told = ChoiceForm(options=part.options), part.right, part.because
        return _asked(part.ask, form, right, told) | {"why": why, "kind": LABELS["check"], "holds": False}
    answer = compute_answer(part, is_rehearsed=True)
    if isinstance(answer, AnswerPending):
        return _asked(part.ask, ChoiceForm(options={}), "", answer.sentence) | {
            "kind": LABELS["predict"],
            "holds": False,
        }
    value = answer.value
    because = part.because.replace("{came}", answer_text(part.form, value)).replace("{guess}", LABELS["your_answer"])
    text = [_curve(part.form, value), because, answer.sentence if part.answer else WRITTEN_BY_AUTHOR]
    return _asked(part.ask, part.form, value, "\n\n".join(filter(None, text))) | {
        "kind": LABELS["predict"],
        "holds": True,
    }


def _curve(form: Any, heights: Any) -> str:
    """Return the resulting curve as a table; "" for any other kind of answer."""
    if not isinstance(form, CurveAnswerForm):
        return ""
    rows = [f"| {readable_number(x)} | {readable_number(y)} |" for x, y in zip(form.x, heights, strict=True)]
    return "\n".join([f"| {form.x_title} | {form.y_title} |", "|---|---|", *rows])


def _asked(ask: str, form: Any, value: Any, told: str) -> dict[str, object]:
    options = (
        {one: markdown_to_page_html(text) for one, text in form.options.items()} if isinstance(form, ChoiceForm) else {}
    )
    number = {"low": form.low, "high": form.high, "unit": form.unit} if isinstance(form, NumberForm) else None
    answer = "" if isinstance(form, CurveAnswerForm) or value == "" else markdown_to_page_html(answer_text(form, value))
    right = float(value) if isinstance(form, NumberForm) else str(value)
    told = markdown_to_page_html(told)
    return {
        "ask": markdown_to_page_html(ask), "options": options, "number": number, "right": right, "answer": answer,
        "told": told, "why": {},
    }  # fmt: skip


def _text(text: str, look: str = "text") -> MessageToWidget:
    return MessageToWidget("sentence", markdown_message(text, look), own_style=False)


def _key(number: int, i: int) -> str:
    return f"s{number}x{i}"


def _drawn(lesson: Lesson) -> dict[str, PageContent]:
    """Draw the exhibits of a lesson in their initial state, with the examples that ship; returns them by key."""
    made: dict[str, PageContent] = {}
    for number, step in enumerate(lesson.steps, 1):
        test = AppTest.from_function(_draw, default_timeout=SECONDS)
        test.session_state[EXPORTED_PAGES] = {}
        test.session_state[STEP] = {
            _key(number, i): part for i, part in enumerate(step.parts) if isinstance(part, ExhibitPart)
        }
        test.run()
        if test.exception:
            raise ValueError(LABELS("fault", title=lesson.title, number=number, error=test.exception[0].value))
        made |= test.session_state[EXPORTED_PAGES]
    return {name.rpartition("-")[2]: content for name, content in made.items()}


def _draw() -> None:
    """Draw a page with a step's exhibits, each with its own choices. It runs from its source, so it has all imports."""
    import streamlit as st

    from core.export.lesson_page import STEP
    from core.lessons.lesson_ui.exhibit_with_tasks import show_exhibit

    for key, part in st.session_state[STEP].items():
        show_exhibit(part, key, (), key)


def _write(path: Path, page: str) -> Path:
    write_page(path, page)
    return path


def lessons_by_slug() -> dict[str, Lesson]:
    """Return all lessons, by slug."""
    return dict(catalog.catalog_lessons())
