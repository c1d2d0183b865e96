"""Beam search: several texts kept at once, drawn as a river and as a tree, and compared with an exhaustive search."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/beam.py",
    order=3,
    icon=":material/account_tree:",
    exhibits=(
        ExhibitSpec("river:which_first_word"),
        ExhibitSpec("tree:tree"),
        ExhibitSpec("truth:truth", experiments=("beam-truth",)),
        ExhibitSpec("shortlist:b_squared", is_folded=True),
    ),
)
