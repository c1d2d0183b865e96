"""The chain-rule ledger: the probability of a sentence, token by token and model by model."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/before/ledger.py",
    order=2,
    title="The ledger",
    icon=":material/receipt_long:",
    card="Very different models read the same sentence: see how much each word surprises each of them.",
    exhibits=(
        ExhibitSpec("ledger:ledger", experiments=("ledger", "ledger-topics")),
        ExhibitSpec("budget:when_ngram_wins", experiments=("budget", "budget-stories")),
    ),
)
