"""The same contest as `budget`, on stories in which facts from several sentences back determine the next word."""

from core.data.localization.labels import module_labels
from core.rooms.ledger.experiments.budget import Budget, Options

LABELS = module_labels(__name__)

__all__ = ["BudgetStories", "Options"]


class BudgetStories(Budget):
    """See `core.rooms.ledger.experiments.budget.Budget`."""

    title = LABELS["title"]
    corpus = "stories"
