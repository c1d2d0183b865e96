"""Lessons: guided tours, one step at a time."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/lessons/lessons.py",
    order=1,
    title="Lessons",
    icon=":material/school:",
    card="From letters to a trained transformer, one step at a time.",
)
