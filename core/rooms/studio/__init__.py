"""The training studio: press Train and watch a small language model learn to write."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/train/studio.py",
    order=1,
    title="Training studio",
    icon=":material/model_training:",
    card="Press a button and watch a model learn to write.",
    related_lessons=("gpt",),
)
