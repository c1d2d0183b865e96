"""Sequence to sequence: an encoder reads, a decoder writes, and attention looks back."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/before/seq2seq.py",
    order=4,
    icon=":material/translate:",
    exhibits=(
        ExhibitSpec("dates:dates", experiments=("dates",)),
        ExhibitSpec("bottleneck:bottleneck", experiments=("bottleneck",)),
        ExhibitSpec("alignment:alignment"),
        ExhibitSpec("override:override", is_folded=True),
        ExhibitSpec("forcing:forcing", is_folded=True),
    ),
)
