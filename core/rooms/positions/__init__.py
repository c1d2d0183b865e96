"""Positions: why attention must be told the order of the words, and the ways to tell it."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/positions.py",
    order=3,
    title="Positions",
    icon=":material/schedule:",
    card="Six ways to tell a model the order of the words, and a contest between them.",
    exhibits=(
        Entry("shuffle:shuffle_words"),
        Entry("causal:causal_order"),
        Entry("clocks:clock_hands"),
        Entry("rotation:one_rotation"),
        Entry("lecture:lecture_code"),
        Entry("zero:position_zero"),
        Entry("slips:slips"),
        Entry("learned:learned_positions"),
        Entry("rotary:rotary_pair"),
        Entry("alibi:alibi_slopes_shown"),
        Entry("buckets:t5_buckets"),
        Entry("contest:contest", live=("contest",)),
    ),
)
