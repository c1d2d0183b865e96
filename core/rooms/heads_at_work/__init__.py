"""Heads at work: small models trained live, on tasks whose answers are known."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/work.py",
    order=7,
    title="Heads at work",
    icon=":material/psychology:",
    card="Train small models in seconds, and find out what each part is for.",
    exhibits=(
        Entry("three_switches:three_switches", live=("three-switches",)),
        Entry("induction:induction", live=("induction",)),
        Entry("explanation:explanation", live=("explanation",)),
    ),
)
