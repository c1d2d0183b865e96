"""Recurrent nets: a state that is carried from word to word, its gates, both directions, and forgetting."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/before/recurrent.py",
    order=3,
    icon=":material/autorenew:",
    exhibits=(
        ExhibitSpec("first_letter:first_letter"),
        ExhibitSpec("remember:remember", experiments=("remember",)),
        ExhibitSpec("forgetting:forgetting_by_distance"),
        ExhibitSpec("unrolled:unrolled"),
        ExhibitSpec("both_ends:from_both_ends", is_folded=True),
    ),
)
