"""Attention is not explanation: the same task learned from three seeds, equally well, with other maps each time."""

from dataclasses import dataclass
from typing import Any, ClassVar

from core.models.gpt import GPTConfig
from core.train.experiment import Record
from core.train.experiments import naming
from core.train.experiments.bounded import Bounded
from core.train.experiments.naming import Namer, Namers

MODELS = ("a", "b", "c")
N_HEAD = (1, 2, 4)  # that a page offers


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_head: heads in each of the two layers.
        n_step: training steps of each model.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_head": max(N_HEAD), "n_step": 600}  # about twenty seconds on one core
    n_head: int = 4
    n_step: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        if 32 % self.n_head:
            raise ValueError(f"{self.n_head} heads do not share 32 numbers evenly")


def config(n_head: int) -> GPTConfig:
    """The model of the other room's experiment, with as many heads as asked."""
    return naming.config(n_head=n_head)


def accuracies(record: Record) -> dict[str, list[Any]]:
    """Share of right answers of the three models at each look, on pairs of nouns that never met in training."""
    found = {f"model {name}": record[f"curve.{name}.accuracy"].tolist() for name in MODELS}
    return {"step": record[f"curve.{MODELS[0]}.step"].tolist()} | found


class Explanation(Namers):
    """Three models alike but for the seed of their weights and batches.

    Args:
        options: see there.
        seed: of the held-out pairs of nouns, alike for all; the models start from 3 seed, 3 seed + 1 and 3 seed + 2.
    """

    title: ClassVar[str] = "Attention is not explanation"

    def __init__(self, options: Options, seed: int):
        model, n_step = config(options.n_head), options.n_step
        super().__init__({name: Namer(model, 3 * seed + i, seed, n_step) for i, name in enumerate(MODELS)}, n_step)
