"""The task of resolving "it": eight layers with and without residual connections, and two layers without.

In addition to the accuracy it measures, at every layer, the norm of the gradient and how different the tokens still
are.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.init import init_fan_in
from core.nn.tap import Trace
from core.train.experiments import referent
from core.train.experiments.referent import ReferentExperiment

LABELS = module_labels(__name__)
EVAL_EVERY = 10  # steps


def config(n_layer: int, style: BlockStyle) -> GPTConfig:
    """Return the config of the model that resolves "it", with other blocks."""
    return replace(referent.config(n_layer=n_layer), block=style)


VARIANTS: Mapping[str, GPTConfig] = {
    "pre_8": config(8, BlockStyle()),
    "post_8": config(8, BlockStyle(norm_first=False)),
    "none_8": config(8, BlockStyle(residual=False)),
    "none_2": config(2, BlockStyle(residual=False)),
}


class Options(Inputs):
    """The number of training steps of each variant."""

    n_step: int = hidden_training_steps(120, most=400)  # about half a minute on one core


NAMES: Mapping[str, str] = LABELS.options("short", *VARIANTS)
FULL_NAMES = LABELS.options("variant", *VARIANTS)
NO_RESIDUAL = ("none_8", "none_2")


class Depth(ReferentExperiment):
    """All four variants.

    Its record, for each variant v: step, curve.v.accuracy (n,): the accuracy on held-out pairs of nouns. look (m,): the
    steps at which the following were measured: gradient.v (m, L), see `input_gradient_norms`; diversity.v (m, L + 1).
    likeness.v (L + 1, T, T): the current cosines between the tokens of one sentence, before each layer and at the end.
    """

    title = LABELS["title"]
    learned = (
        "curve.pre_8.accuracy > 0.99",
        "curve.post_8.accuracy > 0.99",
        "curve.none_8.accuracy < 0.3",
        "curve.none_2.accuracy > 0.95",
        "likeness.none_8 > 0.999",  # all tokens have the same direction
    )
    keeps_weights = False
    precision = np.float32

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, GPTConfig]:
        return VARIANTS

    def begin(self) -> None:
        super().begin()
        for name in NO_RESIDUAL:
            init_fan_in(self.trainers[name].model, self.seed)

    def measure(self) -> Mapping[str, ArrayLike]:
        found = dict(super().measure())
        ids, answers = self._ids[:32], self._answers[:32]
        if self.step % EVAL_EVERY == 0 or self.step == self.n_step:
            found["look"] = self.step
            for name, trainer in self.trainers.items():
                found[f"gradient.{name}"] = input_gradient_norms(trainer.model, ids, answers)
                found[f"diversity.{name}"] = token_diversity(stream_by_layer(trainer.model, ids))
        return found

    def latest(self) -> Mapping[str, ArrayLike]:
        streams = {name: stream_by_layer(one.model, self._ids[:1])[:, 0] for name, one in self.trainers.items()}
        return {f"likeness.{name}": token_cosines(x) for name, x in streams.items()}


def stream_by_layer(model: nn.Module, ids: Tensor) -> Float[Tensor, "L1 B T D"]:
    """Return the residual stream before each layer and after the last one."""
    with torch.no_grad(), Trace(model) as trace:
        model(ids)
    n_layer = sum(key.endswith(".resid_in") for key in trace)
    layers = [trace[f"blocks.{layer}.resid_in"] for layer in range(n_layer)]
    return torch.stack([*layers, trace[f"blocks.{n_layer - 1}.resid_out"]])


def input_gradient_norms(model: nn.Module, ids: Tensor, answers: Tensor) -> NDArray[np.float32]:
    """Return the norm of the loss's gradient at the input of each layer (L,), over the batch.

    The first number is for a gradient that has passed all layers; if it is 0, the first layers cannot learn.
    """
    with torch.enable_grad(), Trace(model) as trace:
        loss = F.cross_entropy(referent.referent_logits(model, ids), answers)
    n_layer = sum(key.endswith(".resid_in") for key in trace)
    inputs = [trace[f"blocks.{layer}.resid_in"] for layer in range(n_layer)]
    gradients = torch.autograd.grad(loss, inputs)
    return torch.stack([one.norm() for one in gradients]).numpy().astype(np.float32)


def token_diversity(x: Float[Tensor, "L1 B T D"]) -> NDArray[np.float32]:
    """Return how different the tokens of a sentence are (L + 1,), from 0 (identical) to 1 (nothing in common).

    It is the norm of the vectors after their mean over tokens is subtracted, divided by the norm before; mean over
    sentences.

    Source: Dong et al. 2021 (2103.03404), section 2, with the Euclidean norm.
    """
    rest = x - x.mean(-2, keepdim=True)
    share = rest.flatten(-2).norm(dim=-1) / x.flatten(-2).norm(dim=-1).clamp(min=1e-30)  # (L + 1, B)
    return share.mean(-1).numpy().astype(np.float32)


def token_cosines(x: Float[Tensor, "L1 T D"]) -> NDArray[np.float32]:
    """Return the cosine between each pair of tokens of one sentence (L + 1, T, T)."""
    unit = F.normalize(x, dim=-1)
    return (unit @ unit.mT).numpy().astype(np.float32)
