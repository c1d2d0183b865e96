"""Experts: a mixture of experts trained live, next to a dense model that does the same work per token."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/today/experts.py",
    order=2,
    title="Experts",
    icon=":material/alt_route:",
    card="Eight experts, and each token goes to one of them. See which, and what that gains.",
    exhibits=(
        Entry("flow:token_flow", live=("routing",)),
        Entry("same_work:same_work", live=("routing",)),
        Entry("trillion:a_trillion"),
    ),
)
