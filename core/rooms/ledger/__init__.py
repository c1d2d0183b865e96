"""The chain-rule ledger: the probability of a sentence, token by token and model by model."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/before/ledger.py",
    order=2,
    title="The ledger",
    icon=":material/receipt_long:",
    card="Very different models read the same sentence: see how much each word surprises each of them.",
    exhibits=(
        Entry("ledger:ledger", live=("ledger", "ledger-topics")),
        Entry("budget:when_ngram_wins", live=("budget", "budget-stories")),
    ),
)
