"""Positions: why attention needs to be given the order of the words, and the ways to encode it."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/positions.py",
    order=3,
    icon=":material/schedule:",
    exhibits=(
        ExhibitSpec("who_saw_whom:who_saw_whom"),
        ExhibitSpec("shuffle:shuffle_words"),
        ExhibitSpec("causal:causal_order", is_folded=True),
        ExhibitSpec("clocks:clock_hands"),
        ExhibitSpec("rotation:one_rotation", is_folded=True),
        ExhibitSpec("contest:contest", experiments=("contest",)),
        ExhibitSpec("learned:learned_positions", is_folded=True),
        ExhibitSpec("rotary:rotary_pair", is_folded=True),
        ExhibitSpec("alibi:alibi_slopes_shown", is_folded=True),
        ExhibitSpec("buckets:t5_buckets", is_folded=True),
        ExhibitSpec("lecture:lecture_code", is_folded=True),
        ExhibitSpec("zero:position_zero", is_folded=True),
        ExhibitSpec("slips:slips", is_folded=True),
    ),
)
