"""Attention is not explanation: the same task learned from three seeds, equally well, with different attention maps."""

import torch

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.train.experiments import referent
from core.train.experiments.fast_trainers import adamw_trainer
from core.train.experiments.referent import ReferentExperiment

LABELS = module_labels(__name__)

MODELS = ("a", "b", "c")
N_HEAD = (1, 2, 4)  # the choices on a page


class Options(Inputs, prefix="explain_"):
    """Options of the three models."""

    n_head: int = segmented_control(N_HEAD, 4, name="explain_heads")
    n_step: int = hidden_training_steps(200, most=600)  # about twenty seconds on one core


class Explanation(ReferentExperiment):
    """Three models that differ only in the seed of their weights and batches: 3 seed, 3 seed + 1 and 3 seed + 2.

    The held-out pairs of nouns are the same for all.
    """

    title = LABELS["title"]
    learned = tuple(f"curve.{name}.accuracy >= 1" for name in MODELS)

    def begin(self) -> None:
        super().begin()
        config = referent.config(n_head=self.options.n_head)
        seeds = {name: 3 * self.seed + i for i, name in enumerate(MODELS)}
        self.trainers = {
            name: adamw_trainer(config, seed, referent.LEARNING_RATE, self.n_step) for name, seed in seeds.items()
        }
        self._generators = {name: torch.Generator().manual_seed(seed) for name, seed in seeds.items()}

    def learn(self) -> None:
        for name, trainer in self.trainers.items():
            trainer.learn(self.loss(trainer.model, *self.batch(self._generators[name])))
