"""The table of what covers the lecture notes: every step, exhibit and page that it names is there."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.lessons.catalogue import CATALOGUE
from core.lessons.rooms import page_of

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / ".github" / "COVERAGE.md"
LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
HEAD = "| Section | Lessons | Rooms and exhibits |"
NOTES = 5


@dataclass(frozen=True)
class Row:
    """A section of a note, the steps and the rooms that treat it, as they stand in the file."""

    note: str
    section: str
    steps: tuple[str, ...]
    rooms: tuple[str, ...]


def rows() -> list[Row]:
    found, note = [], ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            note = line[3:]
        elif line.startswith("| ") and line != HEAD:
            section, lessons, exhibits = (cell.strip() for cell in line.strip("|").split(" | "))
            found.append(Row(note, section, _several(lessons), _several(exhibits)))
    return found


def _several(cell: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in cell.split("<br>") if one.strip())


ROWS = rows()


def steps_of(path: Path) -> list[str]:
    return [line[3:].strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]


def test_there_is_a_table_for_each_note() -> None:
    notes = {row.note for row in ROWS}
    assert sorted(one.split(":")[0] for one in notes) == [f"Lecture note {n}" for n in range(1, NOTES + 1)]
    assert TABLE.read_text(encoding="utf-8").count(HEAD) == NOTES
    assert all(sum(row.note == note for row in ROWS) >= 15 for note in notes)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.note.split(':')[0]}: {row.section}")
def test_what_a_row_names_is_there(row: Row) -> None:
    assert row.section and row.steps and row.rooms
    assert len(set(row.steps)) == len(row.steps) and len(set(row.rooms)) == len(row.rooms)
    for one in row.steps:
        link, _, title = one.partition(" › ")
        match = LINK.fullmatch(link)
        assert match is not None, f"{one!r} is no step"
        path = (TABLE.parent / match[2]).resolve()
        assert path.is_file(), f"there is no lesson {match[2]}"
        assert path.name.partition("-")[2] == f"{match[1]}.md"
        assert title in steps_of(path), f"{path.name} has no step {title!r}; it has {steps_of(path)}"
    for one in row.rooms:
        match = LINK.match(one)
        assert match is not None, f"{one!r} names no room"
        page = (TABLE.parent / match[2]).resolve()
        assert page.is_file(), f"there is no page {match[2]}"
        for name in re.findall(r"`([^`]+)`", one):
            assert name in CATALOGUE, f"there is no exhibit {name!r}"
            assert page_of(name) == page.stem, f"{name} does not stand in {page.stem}"


def test_every_lesson_is_needed_for_some_section() -> None:
    named = {match[2].rpartition("/")[2] for row in ROWS for one in row.steps if (match := LINK.match(one))}
    assert named == {path.name for path in (ROOT / "assets" / "lessons").glob("[0-9]*.md")}
