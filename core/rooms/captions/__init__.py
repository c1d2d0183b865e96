"""Captions: a decoder that reads a picture through cross-attention."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/images/captions.py",
    order=4,
    title="Captions",
    icon=":material/image_search:",
    card="Train a model to describe a digit, and see which part of the picture it reads for each word.",
    exhibits=(
        Entry("look:look"),
        Entry("swap:swap"),
        Entry("training:training", live=("captions",)),
        Entry("vec2seq:vec2seq", live=("captions-class",), is_folded=True),
    ),
)
