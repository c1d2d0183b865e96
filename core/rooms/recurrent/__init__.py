"""Recurrent nets: a state that is carried from word to word, its gates, both directions, and forgetting."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/before/recurrent.py",
    order=3,
    title="Recurrent nets",
    icon=":material/autorenew:",
    card="They read one word at a time. Open their gates, and watch them forget.",
    exhibits=(
        Entry("forgetting:forgetting_by_distance"),
        Entry("remember:remember", live=("remember",)),
        Entry("unrolled:unrolled"),
        Entry("both_ends:from_both_ends", is_folded=True),
    ),
)
