"""Fewer bits: weights rounded to a few levels, what that costs, and why outliers matter."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/today/fewer_bits.py",
    order=4,
    title="Fewer bits",
    icon=":material/grid_on:",
    card="Round a model's weights to 8, 4, 2 bits. See when its text falls apart.",
    exhibits=(
        Entry("dial:how_many_bits"),
        Entry("training:round_while_training", live=("fewer-bits",)),
        Entry("where:where_it_hurts"),
        Entry("outliers:one_outlier"),
    ),
)
