"""The README's tables, made from what the app itself shows: lessons, rooms, families of models.

python -m tests.repo.readme.tables      writes them into README.md, each below its comment `<!-- table: … -->`
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from core.lessons.format import catalog
from core.models.imports.published import PUBLISHED
from core.rooms import rooms
from tests.repo.readme.blocks import ROOT

HOME = "Type a sentence, and watch a small GPT read it in your browser."  # the one room without a card
COMMENT = re.compile(r"^<!-- table: (.+) -->\n((?:\|.*\n)*)", flags=re.MULTILINE)


def lessons(course: str) -> Iterator[str]:
    """The lessons of a course as the shelf has them: their order, titles, what one trains in them, and minutes."""
    yield from ("| | lesson | what you train in it | minutes |", "|--:|---|---|--:|")
    found = [one for one in catalog.lesson_files().values() if one.course == course and one.lesson]
    for n, one in enumerate(found, 1):
        lesson = one.lesson
        assert lesson is not None
        path = (catalog.COURSES[course] / one.file).relative_to(ROOT).as_posix()
        yield f"| {n} | [{lesson.title}]({path}) | {lesson.trains} | {lesson.minutes} |"


def room_cards() -> Iterator[str]:
    """Each room with the sentence on its card, in the order of the navigation."""
    yield from ("| room | what it shows |", "|---|---|")
    yield from (f"| **{room.title}** | {room.card or HOME} |" for room in rooms())


def families() -> Iterator[str]:
    """Other people's models, as the room Pretrained lists them."""
    yield from ("| family | such as |", "|---|---|")
    yield from (f"| {one.title} | {one.such_as} |" for one in PUBLISHED)


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "short lessons": lambda: lessons("short"),
    "lessons": lambda: lessons("house"),
    "lessons on today's models": lambda: lessons("today"),
    "rooms": room_cards,
    "families": families,
}


def table(name: str) -> str:
    """Return a table as Markdown. Raises KeyError if there is no table of this name."""
    return "".join(f"{line}\n" for line in TABLES[name]())


def write(path: Path = ROOT / "README.md") -> None:
    """Write all tables into a file, each below its comment."""
    text = path.read_text(encoding="utf-8")
    path.write_text(COMMENT.sub(lambda at: f"<!-- table: {at[1]} -->\n{table(at[1])}", text), encoding="utf-8")


if __name__ == "__main__":
    write()
