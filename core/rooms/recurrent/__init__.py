"""Recurrent nets: a state that is carried from word to word, its gates, both directions, and forgetting."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/before/recurrent.py",
    order=3,
    icon=":material/autorenew:",
    exhibits=(
        ExhibitSpec("forgetting:forgetting_by_distance"),
        ExhibitSpec("remember:remember", experiments=("remember",)),
        ExhibitSpec("unrolled:unrolled"),
        ExhibitSpec("both_ends:from_both_ends", is_folded=True),
    ),
)
