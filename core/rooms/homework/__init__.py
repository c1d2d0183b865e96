"""Homework: assign a lesson with a deadline, and verify the receipts."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/teach/homework.py",
    order=2,
    title="Homework",
    icon=":material/assignment:",
    card="A lesson with a deadline, and receipts that are verified by computing again.",
)
