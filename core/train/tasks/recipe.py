"""Recipes for tasks: suitable defaults, in the requested sizes.

run = TrainRun(task_recipe("task:reverse", "t5", {"length": 12}))
"""

from collections.abc import Mapping

from core.data.synthetic.tasks import TASK_PREFIX, find_task
from core.train.recipes import Recipe
from core.train.tasks import defaults
from core.train.tasks.defaults import SIZES, ModelSize


def task_recipe(
    corpus: str,
    kind: str = "gpt",
    options: Mapping[str, int] | None = None,
    *,
    size: ModelSize = SIZES[defaults.SIZE],
    n_step: int | None = None,
    batch_size: int = defaults.BATCH_SIZE,
) -> Recipe:
    """Make the recipe by which a model of this kind (one of `core.train.tasks.defaults.KINDS`) learns a task.

    Args:
        corpus: key of the task, such as "task:sort".
        options: of the task; the others have their defaults.
        size: of the model; its context length is ignored, because the task determines that.

    Raises ValueError if there is no such task or kind, or an option is invalid.
    """
    task = find_task(corpus)
    if task is None:
        raise ValueError(f"{corpus[:40]!r} is not a task, such as 'task:sort'")
    if kind not in defaults.KINDS:
        raise ValueError(f"kind={kind!r} is not one of {', '.join(defaults.KINDS)}")
    given = dict(options or {})
    return Recipe(
        name=corpus.removeprefix(TASK_PREFIX),
        title=task.title,
        corpus=corpus,
        task=given,
        tokenizer="word" if task.by_words else "char",
        model=defaults.task_model(kind, size, task.set(given)),
        learning_rate=defaults.task_learning_rate(kind),
        batch_size=batch_size,
        n_step=n_step or defaults.default_task_step_count(corpus, kind),
    )
