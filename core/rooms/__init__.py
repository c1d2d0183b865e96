"""The rooms: a folder for each, with all that only it needs. Navigation, cards and lessons are made from them."""

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from core.ui.room import Entry, Room

# Folders of pages, in the order of the navigation, with what it calls them.
SECTIONS = {
    "home": "",
    "lessons": "Learn",
    "train": "Train",
    "before": "Before transformers",
    "attention": "Look inside",
    "families": "Three families",
    "images": "Images",
    "generate": "Generate",
    "today": "Today's models",
    "teach": "Teach",
}


@cache
def rooms() -> tuple[Room, ...]:
    """All rooms in the order of the navigation."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    found = [importlib.import_module(f"{__name__}.{folder}").ROOM for folder in folders]
    return tuple(sorted(found, key=lambda room: (list(SECTIONS).index(room.section), room.order)))


def first_words(address: str) -> tuple[str, ...]:
    """Title, sentence and first widgets of the page at an address, for the moment before the app has come.

    Any other address gets Home's.
    """
    known = {room.address: room for room in rooms()}
    room = known.get(address, known["home"])
    return *room.words, *room.first_widgets


@cache
def exhibits() -> Mapping[str, Entry]:
    """Every exhibit by its name, "room.exhibit"."""
    return {name: entry for room in rooms() for name, entry in room.named().items()}
