"""Positions: why attention needs to be given the order of the words, and the ways to encode it."""

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
        Entry("causal:causal_order", is_folded=True),
        Entry("clocks:clock_hands"),
        Entry("rotation:one_rotation", is_folded=True),
        Entry("contest:contest", live=("contest",)),
        Entry("learned:learned_positions", is_folded=True),
        Entry("rotary:rotary_pair", is_folded=True),
        Entry("alibi:alibi_slopes_shown", is_folded=True),
        Entry("buckets:t5_buckets", is_folded=True),
        Entry("lecture:lecture_code", is_folded=True),
        Entry("zero:position_zero", is_folded=True),
        Entry("slips:slips", is_folded=True),
    ),
)
