"""Soft and hard attention: a mixture of all positions, or a single one; and an attention class to repair."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/before/choosing.py",
    order=5,
    icon=":material/my_location:",
    exhibits=(
        ExhibitSpec("game:card_game"),
        ExhibitSpec("three_ways:three_ways", experiments=("choosing",)),
        ExhibitSpec("gradients:score_gradients"),
        ExhibitSpec("lecture:fix_the_code", experiments=("lecture",), is_folded=True),
    ),
)
