"""Weights of three values: rounded after training, or in every step of it.

Two GPTs start equal and read the same batches. The first is trained as usual, and its weights are rounded to 2 bits at
each evaluation. The second computes with rounded weights in each step; the gradient goes to the unrounded weights, as
if nothing had been rounded.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.func import functional_call  # noqa: TID251 (only the trainer has this model)
from torch.nn import functional as F

from core.data import corpora, tokenizers
from core.data.localization.labels import module_labels
from core.data.sentences import SENTENCES
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.generate.decode import generate
from core.models.registry import with_weights
from core.rooms.fewer_bits.compute.quantize import QuantizedMatrix, quantize, quantize_by_mean, straight_through
from core.rooms.fewer_bits.compute.rounding import weight_matrices
from core.train import objectives
from core.train.experiment import pack_tokenizer
from core.train.experiments.base import Experiment, every_nth_step
from core.train.experiments.gru_and_gpt import NextTokenTrainer
from core.train.recipes import Recipe
from core.train.tasks.defaults import FAST_BLOCK

LABELS = module_labels(__name__)

CORPUS = "stories"
BITS = 2
CONTEXT, BATCH = 64, 16
N_WINDOW = 16  # of the held-out text
N_WRITTEN = 24
EVAL_EVERY = 20  # steps
SCALE_METHODS = ("largest", "mean")
NAMES: Mapping[str, str] = {
    "float": LABELS["variant.float"],
    "after": LABELS["variant.after"],
    "during": LABELS["variant.during"],
}


class Options(Inputs, prefix="train_"):
    """The method that computes the scale of a row."""

    scale: str = segmented_control(SCALE_METHODS, "largest")
    n_step: int = hidden_training_steps(500, most=1_500)


class FewerBits(Experiment):
    """The two models, and the first one with rounded weights.

    Its record, for each v of `NAMES`: curve.v.loss (n,) nats per token on held-out text; written.v (N_WRITTEN,) the ids
    of its newest greedy continuation of the prompt; prompt (T,); tokenizer.
    """

    title = LABELS["title"]
    keeps_weights = False
    precision = np.float32

    def begin(self) -> None:
        text = corpora.load(CORPUS).text
        self._tokenizer = tokenizers.train_tokenizer("word", text)
        ids = torch.tensor(self._tokenizer.encode(text))
        self._ids, held = objectives.split_ids(ids, CONTEXT)
        self._held = objectives.cut_windows(held, objectives.spaced_starts(len(held), CONTEXT, N_WINDOW), CONTEXT)
        self._prompt = self._tokenizer.encode(SENTENCES[CORPUS])
        one = recipe(self.n_step)
        self.trainers = {
            name: NextTokenTrainer(one, self._tokenizer.vocab_size, self.seed) for name in ("float", "during")
        }

    def eval_steps(self) -> Iterable[int]:
        return {1, 5, 10, *every_nth_step(EVAL_EVERY, self.n_step)} - {0}

    def batch(self) -> tuple[Tensor, Tensor]:
        starts = torch.randint(len(self._ids) - CONTEXT, (BATCH,), generator=self.generator)
        return objectives.cut_windows(self._ids, starts, CONTEXT)

    def learn(self) -> None:
        inputs, targets = self.batch()
        for name, trainer in self.trainers.items():
            with self.timed(name):
                weights = self._rounded_in_training(trainer.model) if name == "during" else {}
                trainer.learn(_next_token_loss(functional_call(trainer.model, weights, (inputs,)), targets))

    def _rounded_in_training(self, model: nn.Module) -> dict[str, Tensor]:
        return {name: straight_through(w, self._quantized(w)) for name, w in weight_matrices(model).items()}

    def _quantized(self, weight: Tensor) -> QuantizedMatrix:
        return quantize_by_mean(weight) if self.options.scale == "mean" else quantize(weight, BITS, "row")

    def models(self) -> dict[str, nn.Module]:
        """Return the models that are evaluated, by their name in `NAMES`."""
        found: dict[str, nn.Module] = {"float": self.trainers["float"].model}
        for name, trained in (("after", "float"), ("during", "during")):
            model = self.trainers[trained].model
            rounded = {part: self._quantized(weight).restored for part, weight in weight_matrices(model).items()}
            found[name] = with_weights(model, rounded)
        return found

    @torch.no_grad()
    def measure(self) -> Mapping[str, ArrayLike]:
        inputs, targets = self._held
        found = {}
        self._written = {}
        for name, model in self.models().items():
            found[f"curve.{name}.loss"] = float(_next_token_loss(model(inputs), targets))
            self._written[name] = _write_greedily(model, self._prompt)
        return found

    def latest(self) -> Mapping[str, ArrayLike]:
        texts = {f"written.{name}": ids for name, ids in self._written.items()}
        return {"prompt": np.array(self._prompt, dtype=np.int16), "tokenizer": pack_tokenizer(self._tokenizer), **texts}


def recipe(n_step: int) -> Recipe:
    """Return the recipe of both models."""
    sizes = {"n_layer": 2, "n_head": 4, "d_model": 64, "context_length": CONTEXT, "positions": "learned"}
    return Recipe(
        name="fewer-bits",
        title="fewer bits",
        corpus=CORPUS,
        tokenizer="word",
        model={**sizes, "embed_norm": True, "tied": False, "block": dict(FAST_BLOCK)},
        learning_rate=0.02,
        batch_size=BATCH,
        n_step=n_step,
    )


def _next_token_loss(logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Return the mean loss in nats per token."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def _write_greedily(model: nn.Module, prompt: list[int]) -> NDArray[np.int16]:
    """Return the greedy continuation of a prompt, (N_WRITTEN,) ids."""
    return np.array([int(step.token) for step in generate(model, prompt, N_WRITTEN, greedy=True)], dtype=np.int16)
