"""The same contest as `budget`, on stories in which facts of several sentences before decide what comes next."""

from core.rooms.ledger.experiments.budget import Budget, Options

__all__ = ["BudgetStories", "Options"]


class BudgetStories(Budget):
    """See `core.rooms.ledger.experiments.budget.Budget`."""

    title = "When does the n-gram win? Little stories"
    corpus = "stories"
