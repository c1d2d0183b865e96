"""The recipe of a task, from a few words: what suits it, in the sizes that are asked for.

run = TrainRun(task_recipe("task:reverse", "t5", {"length": 12}))
"""

from collections.abc import Mapping

from core.data.synthetic.tasks import PREFIX, find
from core.train.recipes import Recipe
from core.train.tasks import defaults
from core.train.tasks.defaults import SIZES, Size


def task_recipe(
    corpus: str,
    kind: str = "gpt",
    options: Mapping[str, int] | None = None,
    *,
    size: Size = SIZES[defaults.SIZE],
    n_step: int | None = None,
    batch_size: int = defaults.BATCH_SIZE,
) -> Recipe:
    """What a model of this kind (one of `core.train.tasks.defaults.KINDS`) learns of a task.

    Args:
        corpus: key of the task, such as "task:sort".
        options: of the task; the others have their defaults.
        size: the context is as long as the task needs it, whatever this says.

    Raises ValueError in plain words.
    """
    task = find(corpus)
    if task is None:
        raise ValueError(f"{corpus[:40]!r} is no task, such as 'task:sort'")
    if kind not in defaults.KINDS:
        raise ValueError(f"kind={kind!r} is none of {', '.join(defaults.KINDS)}")
    given = dict(options or {})
    return Recipe(
        name=corpus.removeprefix(PREFIX),
        title=task.title,
        corpus=corpus,
        task=given,
        tokenizer="word" if task.by_words else "char",
        model=defaults.model(kind, size, task.set(given)),
        learning_rate=defaults.learning_rate(kind),
        batch_size=batch_size,
        n_step=n_step or defaults.n_step_of(corpus, kind),
    )
