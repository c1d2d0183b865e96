"""The training studio: press Train and watch a small language model learn to write."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/train/studio.py",
    order=1,
    icon=":material/model_training:",
    related_lessons=("gpt",),
)
