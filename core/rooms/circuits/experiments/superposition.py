"""Toy models of superposition, for dense to sparse features: five in a plane, also without ReLU, eight in space."""

from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.nn.tap import tap
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)

DECAY = 0.9  # importance of each feature relative to the one before
N_VALUE, FACTOR = 127, 75  # values per feature, over which the loss is averaged; the best factor of all


class ToyModels(nn.Module):
    """Toy models side by side, each with its own weights: x' = ReLU(WᵀW x + b). Tap: `hidden` (M, B, H).

    Call it with features (M, B, N); column n of a weight (H, N) is the direction (arrow) of feature n.

    Args:
        n_model: M, the number of models.
        n_feature, n_hidden: N and H.
        relu: False leaves the ReLU out, so the model is linear.
        generator: samples the weights, as arrows of length about sqrt(H / N).

    Source: Elhage et al. 2022 (2209.10652), section 2.
    """

    def __init__(self, n_model: int, n_feature: int, n_hidden: int, *, relu: bool, generator: torch.Generator):
        super().__init__()
        self.relu = relu
        start = torch.randn(n_model, n_hidden, n_feature, generator=generator) / n_feature**0.5
        self.weight = nn.Parameter(start)  # (M, H, N)
        self.bias = nn.Parameter(torch.zeros(n_model, 1, n_feature))  # (M, 1, N)

    def forward(self, x: Float[Tensor, "M B N"]) -> Float[Tensor, "M B N"]:
        """Return the reconstructed features."""
        hidden = tap(self, "hidden", x @ self.weight.mT)  # (M, B, H)
        back = hidden @ self.weight + self.bias  # (M, B, N)
        return back.relu() if self.relu else back


def feature_importance(n_feature: int) -> NDArray[np.float64]:
    """Return the weight of each feature's error in the loss (N,)."""
    return np.array([DECAY**i for i in range(n_feature)])


def feature_values(n_feature: int) -> NDArray[np.float64]:
    """Return 127 sets of values for N features that are present (127, N), for N up to 8, spread evenly over [0, 1]^N.

    They form a lattice: each column has every value once, and columns are nearly uncorrelated (below 0.05).
    """
    steps = [pow(FACTOR, j, N_VALUE) for j in range(n_feature)]
    return (np.outer(np.arange(N_VALUE), steps) % N_VALUE + 0.5) / N_VALUE


def _feature_patterns(n_feature: int) -> NDArray[np.float64]:
    """Return every pattern of present (1) and absent (0) features (2^N, N)."""
    return np.array(list(product((0.0, 1.0), repeat=n_feature)))


def pattern_errors(
    weight: NDArray[np.floating], bias: NDArray[np.floating], *, relu: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the patterns (2^N, N), and the mean squared error of each, weighted by importance (2^N,).

    Args:
        weight: (H, N) the directions.
        bias: (N,).
    """
    there = _feature_patterns(weight.shape[1])
    x = there[:, None] * feature_values(weight.shape[1])  # (2^N, 127, N)
    back = x @ weight.T.astype(float) @ weight.astype(float) + bias.astype(float)
    wrong = x - (np.maximum(back, 0) if relu else back)
    return there, (wrong**2 * feature_importance(weight.shape[1])).sum(-1).mean(-1)


def expected_loss(weight: NDArray[np.floating], bias: NDArray[np.floating], often: float, *, relu: bool) -> float:
    """Return the expected loss if each feature is present independently with probability `often`."""
    there, error = pattern_errors(weight, bias, relu=relu)
    n = there.sum(1)
    return float((often**n * (1 - often) ** (there.shape[1] - n) * error).sum())


def error_by_count(weight: NDArray[np.floating], bias: NDArray[np.floating], *, relu: bool) -> NDArray[np.float64]:
    """Return the mean error by the number of features present at once (N + 1,)."""
    there, error = pattern_errors(weight, bias, relu=relu)
    n = there.sum(1).astype(int)
    return np.bincount(n, error) / np.bincount(n)


def top_features_loss(n_kept: int, n_feature: int, often: float) -> float:
    """Return the loss of a model that represents the n_kept most important features exactly, others by their mean."""
    spread = often / 3 - often**2 / 4  # variance of a feature that is uniform from 0 to 1 when present, else 0
    return float(feature_importance(n_feature)[n_kept:].sum() * spread)


PROBABILITIES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)  # the probabilities that a feature is present
BATCH, RATE = 256, 0.01


class ToyKind(NamedTuple):
    """The sizes of a kind of toy model."""

    n_feature: int
    n_hidden: int
    relu: bool


KINDS = {"plane": ToyKind(5, 2, True), "linear": ToyKind(5, 2, False), "space": ToyKind(8, 3, True)}


class Options(Inputs, prefix="super_"):
    """The number of training steps."""

    n_step: int = hidden_training_steps(1_500, most=6_000)  # about ten seconds on one core


class Superposition(Experiment):
    """Six models of each kind, one for each of `PROBABILITIES`.

    Its record, for each kind k: curve.k.loss (n, 6): expected loss by step; the current model.k.weight (6, H, N) and
    model.k.bias (6, 1, N).
    """

    title = LABELS["title"]
    n_eval = 30

    def begin(self) -> None:
        self._often = torch.tensor(PROBABILITIES)[:, None, None]
        for name, (n_feature, n_hidden, relu) in KINDS.items():
            generator = torch.Generator().manual_seed(self.seed)
            model = ToyModels(len(PROBABILITIES), n_feature, n_hidden, relu=relu, generator=generator)
            optimizer = AdamW(dict(model.named_parameters()), learning_rate=RATE, betas=(0.9, 0.999))
            schedule = constant_then_linear(self.n_step)
            self.trainers[name] = Trainer(model, optimizer, schedule, n_step=self.n_step, dtype=np.float32)

    def batch(self) -> tuple[Float[Tensor, "M B N"]]:
        shape = len(PROBABILITIES), BATCH, max(kind.n_feature for kind in KINDS.values())
        value, chance = (torch.rand(shape, generator=self.generator) for _ in range(2))
        return (value * (chance < self._often),)

    def loss(self, model: Any, x: Float[Tensor, "M B N"]) -> Float[Tensor, ""]:
        x = x[..., : model.bias.shape[-1]]
        counts = DECAY ** torch.arange(x.shape[-1])
        # Summed over the models, so each learns from its own term, as if it were alone.
        return (counts * (x - model(x)) ** 2).sum(-1).mean(1).sum()

    def measure(self) -> Mapping[str, ArrayLike]:
        weights = self.weights()
        return {f"curve.{name}.loss": np.array(expected_losses(weights, name)) for name in KINDS}


def expected_losses(record: Record, kind: str) -> list[float]:
    """Return the expected loss of each of the six models."""
    weight, bias = record[f"model.{kind}.weight"], record[f"model.{kind}.bias"]
    return [
        expected_loss(w, b[0], often, relu=KINDS[kind].relu)
        for w, b, often in zip(weight, bias, PROBABILITIES, strict=True)
    ]


def table(record: Record) -> dict[str, list[float]]:
    """Return the loss of each model, evaluation by evaluation."""
    found = {LABELS["table.step"]: record["step"].tolist()}
    for kind, title in LABELS.options("kind", *KINDS).items():
        for i, often in enumerate(PROBABILITIES):
            found[LABELS("table.curve", kind=title, probability=often)] = (
                record[f"curve.{kind}.loss"][:, i].round(6).tolist()
            )
    return found
