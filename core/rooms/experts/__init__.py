"""Experts: a mixture of experts trained live, next to a dense model that does the same work per token."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/experts.py",
    order=2,
    icon=":material/alt_route:",
    exhibits=(
        ExhibitSpec("flow:token_flow", experiments=("routing",)),
        ExhibitSpec("same_work:same_work", experiments=("routing",)),
        ExhibitSpec("trillion:a_trillion"),
    ),
)
