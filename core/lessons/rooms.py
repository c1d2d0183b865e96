"""Which room an exhibit stands in, which lessons lead through a room, and which room comes next."""

from collections.abc import Mapping
from pathlib import Path

from core.lessons.format import shelf
from core.lessons.format.lesson import Lesson, Piece
from core.rooms.home.sentence import ROOMS, Room

_ELSEWHERE = {"families": "table"}  # rooms of the catalogue whose page has another name
# Rooms of which no lesson shows an exhibit: the lessons that are nearest to them.
_NEAREST = {
    "table": ("gpt", "bert", "t5"),
    "sizes": ("the-block", "gpt"),
    "pretrained": ("gpt", "bert"),
    "studio": ("gpt",),
}


def page_of(name: str) -> str:
    """The page of an exhibit, "masks.draw-your-own", or of a room, "masks": its address, which is its file's name."""
    room = name.partition(".")[0]
    return _ELSEWHERE.get(room, room.replace("-", "_"))


def room_of(name: str) -> Room | None:
    """The room of an exhibit, of a room's name, or of a page; None for the pages that are no rooms."""
    page = page_of(name)
    return next((room for room in _rooms() if Path(room.page).stem == page), None)


def after(page: str) -> Room | None:
    """The room after this page's, in the order of the navigation; None after the last."""
    stems = [Path(room.page).stem for room in _rooms()]
    at = stems.index(page_of(page)) + 1 if page_of(page) in stems else 0
    return _rooms()[at] if at < len(stems) else None


def lessons_of(page: str) -> tuple[Lesson, ...]:
    """The lessons that show an exhibit of this page's room, those that show most first; else the nearest."""
    counted = {slug: sum(page_of(name) == page_of(page) for name in _shown(one)) for slug, one in _lessons().items()}
    best = sorted((slug for slug, n in counted.items() if n), key=lambda slug: -counted[slug])
    nearest = [slug for slug in _NEAREST.get(page_of(page), ()) if slug in _lessons()]
    return tuple(_lessons()[slug] for slug in best or nearest)


def lessons_by_exhibit() -> Mapping[str, tuple[Lesson, ...]]:
    """For each exhibit that a lesson shows, those lessons in their order."""
    found: dict[str, tuple[Lesson, ...]] = {}
    for lesson in _lessons().values():
        for name in dict.fromkeys(_shown(lesson)):
            found[name] = (*found.get(name, ()), lesson)
    return found


def _rooms() -> tuple[Room, ...]:
    return tuple(room for room in ROOMS if room.section != "lessons")


def _lessons() -> Mapping[str, Lesson]:
    return shelf.lessons()


def _shown(lesson: Lesson) -> list[str]:
    return [part.name for step in lesson.steps for part in step.parts if isinstance(part, Piece)]
