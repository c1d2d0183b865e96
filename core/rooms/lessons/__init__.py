"""Lessons: guided tours, one step at a time."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/lessons/lessons.py",
    order=1,
    icon=":material/school:",
)
