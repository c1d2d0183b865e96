"""Toy models keep features that are always there, or seldom: five in a plane, also without ReLU, and eight in space."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core.exhibit import Inputs, steps
from core.rooms.circuits.compute.toy import DECAY, Toys, loss
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

OFTEN = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)  # how often a feature is there
BATCH, RATE = 256, 0.01


class Kind(NamedTuple):
    """What a toy model is."""

    n_feature: int
    n_hidden: int
    relu: bool


KINDS = {"plane": Kind(5, 2, True), "linear": Kind(5, 2, False), "space": Kind(8, 3, True)}


class Options(Inputs, prefix="super_"):
    """The training steps of all."""

    n_step: int = steps(1_500, most=6_000)  # some ten seconds on one core


class Superposition(Experiment):
    """Of each kind six models, one for each of `OFTEN`.

    Its record, for each kind k: curve.k.loss (n, 6): expected loss by step; model.k.weight (6, H, N) and model.k.bias
    (6, 1, N) as they are now.
    """

    title = "Features in superposition"
    n_look = 30

    def begin(self) -> None:
        self._often = torch.tensor(OFTEN)[:, None, None]
        for name, (n_feature, n_hidden, relu) in KINDS.items():
            generator = torch.Generator().manual_seed(self.seed)
            model = Toys(len(OFTEN), n_feature, n_hidden, relu=relu, generator=generator)
            optimizer = AdamW(dict(model.named_parameters()), learning_rate=RATE, betas=(0.9, 0.999))
            schedule = half_then_down(self.n_step)
            self.trainers[name] = Trainer(model, optimizer, schedule, n_step=self.n_step, dtype=np.float32)

    def batch(self) -> tuple[Float[Tensor, "M B N"]]:
        shape = len(OFTEN), BATCH, max(kind.n_feature for kind in KINDS.values())
        value, chance = (torch.rand(shape, generator=self.generator) for _ in range(2))
        return (value * (chance < self._often),)

    def loss(self, model: Any, x: Float[Tensor, "M B N"]) -> Float[Tensor, ""]:
        x = x[..., : model.bias.shape[-1]]
        counts = DECAY ** torch.arange(x.shape[-1])
        # The sum over the models: each learns from its own part, as if it were alone.
        return (counts * (x - model(x)) ** 2).sum(-1).mean(1).sum()

    def measure(self) -> Mapping[str, Any]:
        weights = self.weights()
        return {f"curve.{name}.loss": np.array(losses(weights, name)) for name in KINDS}


def losses(record: Record, kind: str) -> list[float]:
    """Of each of the six models."""
    weight, bias = record[f"model.{kind}.weight"], record[f"model.{kind}.bias"]
    return [loss(w, b[0], often, relu=KINDS[kind].relu) for w, b, often in zip(weight, bias, OFTEN, strict=True)]


def table(record: Record) -> dict[str, list[float]]:
    """The loss of each model, look by look."""
    found = {"step": record["step"].tolist()}
    for kind in KINDS:
        for i, often in enumerate(OFTEN):
            found[f"{kind}, {often:g}"] = record[f"curve.{kind}.loss"][:, i].round(6).tolist()
    return found
