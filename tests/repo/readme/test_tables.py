"""The README's tables, and the numbers in its sentences, agree with the app."""

import re
from pathlib import Path

import pytest

from core.data import glossary
from core.lessons.format import catalog
from core.rooms import rooms
from core.ui.exhibit import exhibit_panels
from tests.repo.readme.blocks import README, ROOT
from tests.repo.readme.tables import COMMENT, TABLES, table, write

NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
AGAIN = "write them again: python -m tests.repo.readme.tables"


def course(name: str) -> list[int]:
    """The minutes of a course's lessons."""
    return [one.lesson.minutes for one in catalog.lesson_files().values() if one.course == name and one.lesson]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_the_apps(name: str) -> None:
    """Fails if a lesson, room or family was added, moved or renamed, but not in the README (fault 27)."""
    assert dict(COMMENT.findall(README)).get(name) == table(name), AGAIN


def test_the_tables_name_every_room_and_lesson() -> None:
    assert len(re.findall(r"^\| \*\*", table("rooms"), flags=re.MULTILINE)) == len(rooms())
    assert sum(table(name).count("(assets/lessons/") for name in TABLES) == len(catalog.catalog_lessons())


def test_writing_them_changes_tables_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("Before\n\n<!-- table: rooms -->\n| old |\n\nAfter | this\n", encoding="utf-8")
    write(path)
    assert path.read_text(encoding="utf-8") == f"Before\n\n<!-- table: rooms -->\n{table('rooms')}\nAfter | this\n"


@pytest.mark.parametrize(
    ("words", "counted"),
    [
        (r"explains (\d+) terms", lambda: len(glossary.glossary_terms())),
        (r"short path of (\w+) lessons", lambda: len(course("short"))),
        (r"come (\w+) longer lessons", lambda: len(course("house"))),
        (r"(\w+) more on the models of today", lambda: len(course("today"))),
    ],
)
def test_numbers_in_sentences_are_counted(words: str, counted: object) -> None:
    found = re.findall(words, " ".join(README.split()))
    assert callable(counted)
    assert len(found) == 1 and found[0] in (str(counted()), NUMBERS.split()[min(counted(), 17)])


def test_the_short_path_takes_an_hour() -> None:
    assert "an hour in all" in README and 55 <= sum(course("short")) <= 65


def test_the_files_that_it_promises_can_be_downloaded() -> None:
    source = Path(exhibit_panels.__file__).read_text(encoding="utf-8") + "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "assets/widgets").rglob("*.js")
    )
    promised = re.search(r"downloads \(([A-Z, ]+)\)", README)
    assert promised and all(re.search(rf"\b{one}\b", source) for one in promised[1].split(", "))
