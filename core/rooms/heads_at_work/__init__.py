"""Heads at work: small models trained live, on tasks whose answers are known."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/work.py",
    order=7,
    title="Heads at work",
    icon=":material/psychology:",
    card="Train small models in seconds, and find out what each part is for.",
    exhibits=(
        ExhibitSpec("three_switches:three_switches", experiments=("three-switches",)),
        ExhibitSpec("induction:induction", experiments=("induction",)),
        ExhibitSpec("explanation:explanation", experiments=("explanation",)),
    ),
)
