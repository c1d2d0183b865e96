"""Tasks with an exact answer, on which a model trains in place of a text, by keys such as "task:sort"."""

from collections.abc import Mapping

from core.data.localization.labels import module_labels
from core.data.synthetic.tasks import arithmetic_tasks, grammar, letter_sequence_tasks, memory_tasks
from core.data.synthetic.tasks.task import ConfiguredTask, SyntheticTask, TaskExample, TaskOption

LABELS = module_labels(__name__)

__all__ = ["TASKS", "TASK_PREFIX", "ConfiguredTask", "SyntheticTask", "TaskExample", "TaskOption", "find_task"]

TASK_PREFIX = "task:"
TASKS: Mapping[str, SyntheticTask] = {
    "sort": letter_sequence_tasks.SORT,
    "reverse": letter_sequence_tasks.REVERSE,
    "repeat": letter_sequence_tasks.REPEAT,
    "copy-memory": letter_sequence_tasks.COPY_MEMORY,
    "temporal-order": memory_tasks.TEMPORAL_ORDER,
    "slapjack": memory_tasks.SLAPJACK,
    "addition": arithmetic_tasks.ADDITION,
    "marked-addition": arithmetic_tasks.MARKED_ADDITION,
    "modular-addition": arithmetic_tasks.MODULAR_ADDITION,
    "two-sum": arithmetic_tasks.TWO_SUM,
    "parity": arithmetic_tasks.PARITY,
    "majority": arithmetic_tasks.MAJORITY,
    "brackets": grammar.DYCK,
    "elman": grammar.ELMAN,
}


def find_task(corpus: str) -> SyntheticTask | None:
    """Return the task of this key; None if it is the key of a text. Raises ValueError if there is no such task."""
    if not isinstance(corpus, str) or not corpus.startswith(TASK_PREFIX):
        return None
    name = corpus.removeprefix(TASK_PREFIX)
    if name not in TASKS:
        raise ValueError(LABELS("no_task", name=repr(name[:40]), tasks=", ".join(TASKS)))
    return TASKS[name]
