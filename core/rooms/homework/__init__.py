"""Homework: assign a lesson with a deadline, and verify the receipts."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/teach/homework.py",
    order=2,
    icon=":material/assignment:",
)
