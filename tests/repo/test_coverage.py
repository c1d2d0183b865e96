"""The tables of what covers the lecture notes: every step, exhibit and page that they name is there.

What this catches: a slip of the notes that runs nowhere (any more), and an exhibit that no page shows.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.inspect.lecture_errata import attention_errata, language_model_lecture_errata
from core.lessons.room_links import find_room_of_exhibit
from core.rooms import all_exhibits as catalogue

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / ".github" / "COVERAGE.md"
LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
HEAD = "| Section | Lessons | Rooms and exhibits |"
NOTES = 5
SLIPS = "## Slips"


@dataclass(frozen=True)
class Row:
    """A section of a note, with the steps and the rooms that treat it, in the file's spelling."""

    note: str
    section: str
    steps: tuple[str, ...]
    rooms: tuple[str, ...]


def rows() -> list[Row]:
    found, note = [], ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line == SLIPS:
            break
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
def test_everything_that_a_row_names_exists(row: Row) -> None:
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
            assert name in catalogue(), f"there is no exhibit {name!r}"
            assert _address(name) == page.stem, f"{name} does not stand in {page.stem}"


def test_every_lesson_is_needed_for_some_section() -> None:
    named = {match[2].rpartition("/")[2] for row in ROWS for one in row.steps if (match := LINK.match(one))}
    assert named == {path.name for path in (ROOT / "assets" / "lessons").glob("[0-9]*.md")}


# Those that run side by side in the exhibits "Slips in the notes", by room.
RUN = {
    "steps": attention_errata.ATTENTION_ERRATA,
    "positions": attention_errata.POSITION_ERRATA,
    "block": attention_errata.BLOCK_ERRATA,
    "sizes": attention_errata.SIZE_ERRATA,
    "ngrams": language_model_lecture_errata.NGRAM_ERRATA,
    "decoder": language_model_lecture_errata.DECODER_ERRATA,
    "encoder": language_model_lecture_errata.ENCODER_ERRATA,
}


def slips() -> list[tuple[str, str, list[str]]]:
    """(where, slip, names of exhibits) of each row of the table of slips."""
    found = []
    for line in TABLE.read_text(encoding="utf-8").partition(SLIPS)[2].splitlines():
        if line.startswith("| S"):
            where, slip, exhibits = (cell.strip() for cell in line.strip("|").split(" | "))
            found.append((where, slip, _several(exhibits)))
    return found


def _address(name: str) -> str | None:
    room = find_room_of_exhibit(name)
    return room and room.address


@pytest.mark.parametrize(("where", "slip", "exhibits"), slips(), ids=lambda one: one if isinstance(one, str) else "")
def test_a_slip_runs_in_an_exhibit_that_a_page_shows(where: str, slip: str, exhibits: list[str]) -> None:
    assert slip and exhibits, f"{where} runs nowhere"
    for one in exhibits:
        link, name = LINK.match(one), re.search(r"`([^`]+)`", one)
        assert link is not None and name is not None, f"{one!r} names no room and exhibit"
        page = (TABLE.parent / link[2]).resolve()
        assert name[1] in catalogue() and _address(name[1]) == page.stem, f"{name[1]} does not stand in {page.stem}"


def test_no_slip_is_lost() -> None:
    """Each one that a room runs is in the table with its line and room, and none in the table disappears unnoticed."""
    rows_ = slips()
    assert len(rows_) >= 42 and len({where for where, _, _ in rows_}) == len(rows_)
    for room, some in RUN.items():
        for one in some:
            note, line = one.where.split(":")
            at = re.compile(rf"S{int(note) - 1}(:| \w+, line ){line}\b|S{int(note) - 1} odd r")
            listed = [exhibits for where, _, exhibits in rows_ if at.search(where)]
            assert listed, f"{one.where} {one.name!r} is not in the table"
            assert any(f"`{room}.slips`" in one for exhibits in listed for one in exhibits), f"{room}: {one.where}"
