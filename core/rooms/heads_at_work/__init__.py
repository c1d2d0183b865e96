"""Heads at work: small models trained live, on tasks whose answers are known."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/work.py",
    order=7,
    icon=":material/psychology:",
    exhibits=(
        ExhibitSpec("what_it_means:what_it_means", experiments=("three-switches",)),
        ExhibitSpec("three_switches:three_switches", experiments=("three-switches",)),
        ExhibitSpec("induction:induction", experiments=("induction",)),
        ExhibitSpec("explanation:explanation", experiments=("explanation",)),
    ),
)
