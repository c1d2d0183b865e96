from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/positions.py",
    order=3,
    title="Positions",
    icon=":material/schedule:",
    card="Six ways to tell a model the order of the words, and a contest between them.",
    exhibits=(
        Entry("order:shuffle_words", bar="order:ask"),
        Entry("order:causal_order", bar="order:ask"),
        Entry("clocks:clock_hands"),
        Entry("clocks:one_rotation"),
        Entry("lecture:lecture_code"),
        Entry("lecture:position_zero"),
        Entry("slips:slips"),
        Entry("learned:learned_positions"),
        Entry("rotary:rotary_pair"),
        Entry("biases:alibi_slopes_shown"),
        Entry("biases:t5_buckets"),
        Entry("contest:contest", live=("contest",)),
    ),
)
