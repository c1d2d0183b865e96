"""No page is a dead end: rooms end with their lessons and the next room; the glossary opens at what is asked for."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.lessons.catalogue import CATALOGUE
from core.lessons.format import shelf
from core.lessons.rooms import after, lessons_by_exhibit, lessons_of, page_of, room_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.stem for path in (ROOT / "pages").rglob("*.py"))
ROOMLESS = {"home", "lessons", "glossary"}


def open_at(page: str, **address: str) -> AppTest:
    """The app at one of its pages."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(page).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("page", PAGES)
def test_every_page_but_those_that_lead_everywhere_is_a_room(page: str) -> None:
    assert (room_of(page) is None) == (page in ROOMLESS)


def test_next_room_by_next_room_one_sees_them_all() -> None:
    page, seen = "studio", []
    while page:
        seen.append(page)
        room = after(page)
        page = Path(room.page).stem if room else ""
    assert sorted([*seen, *ROOMLESS]) == PAGES


def test_every_exhibit_stands_in_a_room() -> None:
    assert {page_of(name) for name in CATALOGUE} <= {*PAGES}
    assert {name.split(".")[0] for name in CATALOGUE if room_of(name) is None} == {"home"}


def test_lessons_of_a_room_are_those_that_show_its_exhibits() -> None:
    on_shelf = shelf.on_shelf()
    assert "masks" in {lesson.slug for lesson in lessons_of("masks")}
    for name, lessons in lessons_by_exhibit().items():
        assert name in CATALOGUE
        assert all(on_shelf[lesson.slug].lesson == lesson for lesson in lessons)
        if room_of(name) is not None:
            assert {lesson.slug for lesson in lessons} <= {lesson.slug for lesson in lessons_of(name)}


def test_no_room_is_without_a_lesson() -> None:
    assert [page for page in PAGES if room_of(page) is not None and not lessons_of(page)] == []


def test_a_room_ends_with_its_lesson_and_the_next_room() -> None:
    app = open_at("pages/attention/masks.py")
    links = [link for link in app.main.get("page_link") if link.proto.label.startswith(("Lesson", "Next"))]
    assert links[0].proto.query_string == "lesson=masks&step=1"
    assert links[-1].proto.page == "heads" and "Attention heads" in links[-1].proto.label


def test_the_glossary_opens_at_the_term_asked_for_and_searches() -> None:
    app = open_at("pages/lessons/glossary.py", term="softmax")
    assert app.markdown[-1].value.startswith("### softmax\n")
    assert app.text_input[0].value == "softmax"
    app.text_input[0].set_value("n_embd").run()
    assert app.markdown[-1].value.startswith("### d_model\n")
    app.text_input[0].set_value("`$x$`](#").run()
    assert not app.exception and "No term is called" in app.info[0].value
    app.text_input[0].set_value("").run()
    assert app.markdown[-1].value.count("\n### ") > 150
    assert "(masks#kinds-of-masks)" in app.markdown[-1].value
