"""Tasks with an exact answer, on which a model trains in place of a text, by keys such as "task:sort"."""

from collections.abc import Mapping

from core.data.synthetic.tasks import grammar, memory, numbers, order
from core.data.synthetic.tasks.task import Example, Option, Posed, Task

__all__ = ["PREFIX", "TASKS", "Example", "Option", "Posed", "Task", "find"]

PREFIX = "task:"
TASKS: Mapping[str, Task] = {
    "sort": order.SORT,
    "reverse": order.REVERSE,
    "repeat": order.REPEAT,
    "copy-memory": order.COPY_MEMORY,
    "temporal-order": memory.TEMPORAL_ORDER,
    "slapjack": memory.SLAPJACK,
    "addition": numbers.ADDITION,
    "marked-addition": numbers.MARKED_ADDITION,
    "modular-addition": numbers.MODULAR_ADDITION,
    "two-sum": numbers.TWO_SUM,
    "parity": numbers.PARITY,
    "majority": numbers.MAJORITY,
    "brackets": grammar.DYCK,
    "elman": grammar.ELMAN,
}


def find(corpus: str) -> Task | None:
    """Return the task of this key; None if it is the key of a text. Raises ValueError if there is no such task."""
    if not isinstance(corpus, str) or not corpus.startswith(PREFIX):
        return None
    name = corpus.removeprefix(PREFIX)
    if name not in TASKS:
        raise ValueError(f"there is no task {name[:40]!r}; there are {', '.join(TASKS)}")
    return TASKS[name]
