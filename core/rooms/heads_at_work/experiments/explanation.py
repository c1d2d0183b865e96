"""Attention is not explanation: the same task learned from three seeds, equally well, with other maps each time."""

from collections.abc import Mapping

from core.exhibit import Inputs, segmented, steps
from core.train.experiments import naming
from core.train.experiments.naming import Namer, Namers

MODELS = ("a", "b", "c")
N_HEAD = (1, 2, 4)  # that a page offers


class Options(Inputs, prefix="explain_"):
    """The three models."""

    n_head: int = segmented("Heads in each layer", N_HEAD, 4, name="explain_heads")
    n_step: int = steps(200, most=600)  # about twenty seconds on one core


class Explanation(Namers):
    """Three models alike but for the seed of their weights and batches: 3 seed, 3 seed + 1 and 3 seed + 2.

    The held-out pairs of nouns are the same for all.
    """

    title = "Attention is not explanation"

    def variants(self) -> Mapping[str, Namer]:
        model = naming.config(n_head=self.options.n_head)
        return {name: Namer(model, 3 * self.seed + i, self.seed, self.n_step) for i, name in enumerate(MODELS)}
