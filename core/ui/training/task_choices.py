"""Settings for tasks, and their effects on a recipe: plain values, independent of the screen."""

from collections.abc import Mapping
from typing import Any

from core.data.localization.labels import module_labels
from core.data.synthetic import tasks
from core.data.tokenizers.gap_tokenizers import CLASS
from core.train.tasks.defaults import n_task_position

LABELS = module_labels(__name__)

# They learn from pairs: questions and answers, or texts with gaps and the missing parts.
PAIR_LABELS: Mapping[str, str] = LABELS.options("pair", "t5", "transformer", "seq2seq")


def is_task(corpus: str) -> bool:
    """Return whether a key of `task_labels` or a recipe's corpus is a task rather than a text."""
    return corpus.startswith(tasks.TASK_PREFIX)


def task_labels() -> dict[str, str]:
    """Return all tasks to choose from, key -> label."""
    return {f"{tasks.TASK_PREFIX}{name}": LABELS("task", title=task.title) for name, task in tasks.TASKS.items()}


def find_task_options(corpus: str) -> Mapping[str, tasks.TaskOption]:
    """Return the options of a task by name; empty for a text."""
    task = tasks.TASKS.get(corpus.removeprefix(tasks.TASK_PREFIX)) if is_task(corpus) else None
    return {} if task is None else task.options


def task_of_recipe(recipe: Mapping[str, Any]) -> tasks.ConfiguredTask | None:
    """Return a recipe's task with its options, or None for a text. Raises ValueError if they are invalid."""
    task = tasks.find_task(str(recipe.get("corpus", "")))
    return None if task is None else task.set(recipe.get("task", {}))


def task_vocabulary(recipe: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the vocabulary of a task recipe's model; None for a text, or if the task no longer exists."""
    try:
        posed = task_of_recipe(recipe)
    except ValueError:
        return None
    if posed is None:
        return None
    more = (CLASS, "<mask>") if dict(recipe.get("model", {})).get("kind") == "bert" else ()
    return (*posed.tokenizer.vocabulary, *more)


def with_task_options(recipe: dict[str, Any], options: Mapping[str, int]) -> dict[str, Any]:
    """Return the recipe with its task's options, and at least as many positions as the longest question needs.

    Raises ValueError if the options are invalid.
    """
    recipe = recipe | {"task": dict(options), "spelled": 0.0, "tokenizer_vocab": None}
    recipe["tokenizer"] = "word" if tasks.TASKS[recipe["corpus"].removeprefix(tasks.TASK_PREFIX)].by_words else "char"
    if "context_length" in recipe["model"]:
        given, model = task_of_recipe(recipe), recipe["model"]
        assert given is not None
        recipe["model"] = model | {"context_length": n_task_position(given, model.get("kind", "gpt"))}
    return recipe
