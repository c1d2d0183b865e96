"""Beam search: several texts kept at once, drawn as a tree and compared with an exhaustive search."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/beam.py",
    order=3,
    title="Beam search",
    icon=":material/account_tree:",
    card="Follow several texts at once, and check the winner against every possible text.",
    exhibits=(
        Entry("tree:tree"),
        Entry("truth:truth", live=("beam-truth",)),
        Entry("shortlist:b_squared", is_folded=True),
    ),
)
