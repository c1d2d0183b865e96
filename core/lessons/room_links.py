"""Links between rooms and lessons, so that no page is a dead end: a room's exhibits, lessons, and the next room."""

from collections.abc import Mapping
from functools import cache

import streamlit as st

from core.data.localization.labels import module_labels
from core.lessons.format import catalog
from core.lessons.format.lesson import ExhibitPart, Lesson
from core.rooms import rooms
from core.ui.frame.element_keys import page_element_key
from core.ui.room import Room
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

MOST_LESSONS = 3


def find_room_of_exhibit(name: str) -> Room | None:
    """Return the room of an exhibit, "masks.draw-your-own", or of an address, or None."""
    return _by_name().get(name.partition(".")[0])


@cache
def _by_name() -> Mapping[str, Room]:
    return {name: room for room in reversed(rooms()) for name in (room.address, room.name)}


@cache
def tour_rooms() -> tuple[Room, ...]:
    """Return the rooms of the tour, in order, without Home, the lessons and the rooms for teachers."""
    return tuple(room for room in rooms() if room.section not in ("home", "lessons", "teach"))


def _next_room(room: Room) -> Room | None:
    """Return the next room in the order of the navigation, or None after the last."""
    at = tour_rooms().index(room) + 1
    return tour_rooms()[at] if at < len(tour_rooms()) else None


def _room_lessons(room: Room) -> tuple[Lesson, ...]:
    """Return the lessons with exhibits of this room, those with the most first; if there are none, the nearest."""
    known = catalog.catalog_lessons()
    counted = {slug: sum(find_room_of_exhibit(name) is room for name in _shown(one)) for slug, one in known.items()}
    best = sorted((slug for slug, n in counted.items() if n), key=lambda slug: -counted[slug])
    return tuple(known[slug] for slug in best or room.related_lessons if slug in known)


def lessons_by_exhibit() -> Mapping[str, tuple[Lesson, ...]]:
    """Return the lessons that show each exhibit, in their order."""
    found: dict[str, tuple[Lesson, ...]] = {}
    for lesson in catalog.catalog_lessons().values():
        for name in dict.fromkeys(_shown(lesson)):
            found[name] = (*found.get(name, ()), lesson)
    return found


def show_room_end_links(page: str) -> None:
    """Draw links to lessons and the next room below a room, given its address; other pages have their own links."""
    room = find_room_of_exhibit(page)
    if room is None or room not in tour_rooms() or room.only_exhibit:
        return
    with st.container(key=page_element_key("onward"), gap="xxsmall"):
        for lesson in _room_lessons(room)[:MOST_LESSONS]:
            st.page_link(
                "pages/lessons/lessons.py",
                label=LABELS("lesson", title=escape_markdown(lesson.title), minutes=lesson.minutes),
                icon=":material/school:",
                query_params={"lesson": lesson.slug, "step": "1"},
            )
        following = _next_room(room)
        if following is None:
            st.page_link("pages/home/home.py", label=LABELS["last_room"], icon=":material/home:")
        else:
            label = LABELS("next_room", title=escape_markdown(following.title), card=escape_markdown(following.card))
            st.page_link(following.page, label=label, icon=":material/arrow_forward:")


def _shown(lesson: Lesson) -> list[str]:
    return [part.name for step in lesson.steps for part in step.parts if isinstance(part, ExhibitPart)]
