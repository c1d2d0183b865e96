"""Soft and hard attention: a mixture of all positions, or a single one; and an attention class to repair."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/before/choosing.py",
    order=5,
    title="Soft and hard attention",
    icon=":material/my_location:",
    card="Look at everything a little, or pick one spot? Then repair a lecture note's attention, line by line.",
    exhibits=(
        Entry("game:card_game"),
        Entry("three_ways:three_ways", live=("choosing",)),
        Entry("gradients:score_gradients"),
        Entry("lecture:fix_the_code", live=("lecture",), is_folded=True),
    ),
)
