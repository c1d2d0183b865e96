"""Sweeps: one experiment run with many settings, to see which of them matter."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/train/sweeps.py",
    order=2,
    icon=":material/stacked_line_chart:",
    related_lessons=("gpt",),
)
