"""Circuits: interpretability methods, each with the control that shows its limits."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/today/circuits.py",
    order=8,
    title="Circuits",
    icon=":material/account_tree:",
    card="Find out how a model does it: copy a piece of one run into another.",
    exhibits=(
        Entry("patching:patching"),
        Entry("paths:paths"),
        Entry("attribution:attribution"),
        Entry("probe:probe"),
        Entry("superposition:superposition", live=("superposition",)),
        Entry("features:features", live=("features",)),
        Entry("names:names", live=("features",)),
        Entry("grokking:grokking", live=("grokking",)),
        Entry("circle:circle", live=("grokking",)),
    ),
)
