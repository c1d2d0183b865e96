"""The rooms: a folder for each, and those of installed packages. Navigation, cards and lessons are made from them.

A package offers a room by an entry point of the group `glassformer.rooms`, which names the package whose `ROOM` it is.
If such a room cannot be used, it is left out, and one line in the log says why.
"""

import importlib
import importlib.util
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from core.data.localization.labels import module_labels
from core.ui.room import ExhibitSpec, Room
from core.ui.room_folders import room_text_folder

LABELS = module_labels(__name__)
_LOG = logging.getLogger("glassformer")
ENTRY_POINTS = "glassformer.rooms"

# Folders of pages, in the order of the navigation, with what it calls them.
SECTIONS = {
    "home": "",
    **LABELS.options(
        "section", "lessons", "train", "before", "attention", "families", "images", "generate", "today", "teach"
    ),
}


@cache
def rooms() -> tuple[Room, ...]:
    """All rooms in the order of the navigation."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    found = [importlib.import_module(f"{__name__}.{folder}").ROOM for folder in folders]
    found += _installed(found)
    return tuple(sorted(found, key=lambda room: (list(SECTIONS).index(room.section), room.order)))


def _installed(known: Sequence[Room]) -> Iterator[Room]:
    """Yield the rooms of installed packages, in the order of their names; log why a room is left out."""
    taken = {name for room in known for name in (room.address, room.name)}
    for one in sorted(entry_points(group=ENTRY_POINTS), key=lambda one: (one.name, one.value)):
        try:
            room = importlib.import_module(one.module).ROOM
            _check(room, taken)
        except (Exception, SystemExit) as error:
            why = error if isinstance(error, RoomPackageRefused) else f"{type(error).__name__}: {error}"
            _LOG.warning('The room "%s" of the package %s is left out: %.300s', one.name, one.value, why)
        else:
            taken |= {room.address, room.name}
            yield room


class RoomPackageRefused(ValueError):
    """A room of an installed package that cannot be shown; the message says why."""


def _check(room: object, taken: set[str]) -> None:
    """Check what can be checked without the room's slow imports.

    Raises:
        RoomPackageRefused: if a file is missing, the section does not exist, or another room has its address.
    """
    if not isinstance(room, Room):
        raise RoomPackageRefused(f"its ROOM is a {type(room).__name__}, not a core.ui.room.Room")
    if room.section not in SECTIONS:
        raise RoomPackageRefused(f"no section is called {room.section!r}; there are {', '.join(SECTIONS)}")
    if both := taken & {room.address, room.name}:
        raise RoomPackageRefused(f"another room is called {both.pop()!r}; give its page another file name")
    texts = [room_text_folder(room.package) / f"{one.module.rpartition('.')[2]}.md" for one in room.exhibits]
    for file in (Path(room.page), *texts):
        if not file.is_file():
            raise RoomPackageRefused(f"there is no file {file}")
    for one in room.exhibits:
        if importlib.util.find_spec(one.module) is None:
            raise RoomPackageRefused(f"there is no module {one.module}")


def loading_screen_content(address: str) -> tuple[str, ...]:
    """Title, sentence and first widgets of the page at an address, for the moment before the app has come.

    Any other address gets Home's.
    """
    known = {room.address: room for room in rooms()}
    room = known.get(address, known["home"])
    return *room.heading, *room.first_widgets


@cache
def all_exhibits() -> Mapping[str, ExhibitSpec]:
    """Every exhibit by its name, "room.exhibit"."""
    return {name: entry for room in rooms() for name, entry in room.exhibits_by_name().items()}
