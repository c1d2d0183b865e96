"""The chain-rule ledger: the probability of a sentence, token by token and model by model."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/before/ledger.py",
    order=2,
    icon=":material/receipt_long:",
    exhibits=(
        ExhibitSpec("bottle_or_cup:bottle_or_cup", experiments=("ledger",)),
        ExhibitSpec("ledger:ledger", experiments=("ledger", "ledger-topics")),
        ExhibitSpec("budget:when_ngram_wins", experiments=("budget", "budget-stories")),
    ),
)
