"""Fewer bits: weights rounded to a few levels, what that costs, and why outliers matter."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/fewer_bits.py",
    order=4,
    icon=":material/grid_on:",
    exhibits=(
        ExhibitSpec("dial:how_many_bits"),
        ExhibitSpec("training:round_while_training", experiments=("fewer-bits",)),
        ExhibitSpec("where:where_it_hurts"),
        ExhibitSpec("outliers:one_outlier"),
    ),
)
