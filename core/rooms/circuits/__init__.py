"""Circuits: interpretability methods, each with the control that shows its limits."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/circuits.py",
    order=8,
    icon=":material/account_tree:",
    exhibits=(
        ExhibitSpec("patching:patching"),
        ExhibitSpec("paths:paths"),
        ExhibitSpec("attribution:attribution"),
        ExhibitSpec("probe:probe"),
        ExhibitSpec("superposition:superposition", experiments=("superposition",)),
        ExhibitSpec("features:features", experiments=("features",)),
        ExhibitSpec("names:names", experiments=("features",)),
        ExhibitSpec("grokking:grokking", experiments=("grokking",)),
        ExhibitSpec("circle:circle", experiments=("grokking",)),
    ),
)
