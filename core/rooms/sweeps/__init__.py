"""Sweeps: one experiment run with many settings, to see which of them matter."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/train/sweeps.py",
    order=2,
    title="Sweeps",
    icon=":material/stacked_line_chart:",
    card="Train up to 500 models at once, and see which settings matter.",
    related_lessons=("gpt",),
)
