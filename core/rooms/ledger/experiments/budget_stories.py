"""The same contest as `budget`, on stories in which facts from several sentences back determine the next word."""

from core.rooms.ledger.experiments.budget import Budget, Options

__all__ = ["BudgetStories", "Options"]


class BudgetStories(Budget):
    """See `core.rooms.ledger.experiments.budget.Budget`."""

    title = "When does the n-gram win? Little stories"
    corpus = "stories"
