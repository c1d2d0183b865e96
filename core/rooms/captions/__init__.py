"""Captions: a decoder that reads a picture through cross-attention."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/images/captions.py",
    order=4,
    icon=":material/image_search:",
    exhibits=(
        ExhibitSpec("look:look"),
        ExhibitSpec("swap:swap"),
        ExhibitSpec("training:training", experiments=("captions",)),
        ExhibitSpec("vec2seq:vec2seq", experiments=("captions-class",), is_folded=True),
    ),
)
