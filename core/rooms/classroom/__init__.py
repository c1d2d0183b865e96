"""Start a class: the link to the teacher's desk, and what a teacher prepares."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/teach/start_a_class.py",
    order=1,
    icon=":material/co_present:",
)
