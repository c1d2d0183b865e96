"""No page is a dead end: rooms end with their lessons and the next room; the glossary opens at what is asked for."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.data import glossary
from core.lessons.format import catalog
from core.lessons.room_links import _next_room, _room_lessons, find_room_of_exhibit, lessons_by_exhibit, tour_rooms
from core.rooms import all_exhibits

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.stem for path in (ROOT / "pages").rglob("*.py"))
ROOMLESS = {"home", "lessons", "glossary", "start_a_class", "homework"}


def open_at(page: str, **address: str) -> AppTest:
    """The app at one of its pages."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(page).run()
    assert not app.exception
    return app


def test_next_room_by_next_room_one_sees_them_all() -> None:
    room, seen = find_room_of_exhibit("studio"), []
    while room is not None:
        seen.append(room.address)
        room = _next_room(room)
    assert sorted([*seen, *ROOMLESS]) == PAGES


def test_every_exhibit_stands_in_a_room() -> None:
    for name, entry in all_exhibits().items():
        room = find_room_of_exhibit(name)
        assert room is not None and entry in room.exhibits


def test_lessons_of_a_room_are_those_that_show_its_exhibits() -> None:
    on_shelf = catalog.lesson_files()
    masks = find_room_of_exhibit("masks")
    assert masks is not None and "masks" in {lesson.slug for lesson in _room_lessons(masks)}
    for name, lessons in lessons_by_exhibit().items():
        assert name in all_exhibits()
        assert all(on_shelf[lesson.slug].lesson == lesson for lesson in lessons)
        room = find_room_of_exhibit(name)
        if room in tour_rooms():
            assert {lesson.slug for lesson in lessons} <= {lesson.slug for lesson in _room_lessons(room)}


def test_no_room_is_without_a_lesson() -> None:
    assert [room.title for room in tour_rooms() if not _room_lessons(room)] == []


def test_an_address_with_an_unknown_exhibit_is_answered_in_plain_words() -> None:
    """Fails where `?only=` with a typing error opens the whole room without a word."""
    (warning,) = open_at("pages/attention/heads.py", only="one_head*").warning
    assert "no exhibit “one" in warning.value and "one-head" in warning.value.partition("Did you mean")[2]


def test_a_room_ends_with_its_lesson_and_the_next_room() -> None:
    app = open_at("pages/attention/masks.py")
    links = [link for link in app.main.get("page_link") if link.proto.label.startswith(("Lesson", "Next"))]
    assert links[0].proto.query_string == "lesson=masks&step=1"
    assert links[-1].proto.page == "heads" and "Attention heads" in links[-1].proto.label


def test_the_glossary_has_an_entry_for_each_term() -> None:
    """Searching happens in the browser, see tests/rooms/glossary/test_browser.py."""
    app = open_at("pages/lessons/glossary.py", term="softmax")
    (entries,) = [one.value for one in app.markdown if one.value.startswith(">")]
    assert entries.count("\n---\n") + 1 == len(glossary.glossary_terms())
    assert "(masks#kinds-of-masks)" in entries
