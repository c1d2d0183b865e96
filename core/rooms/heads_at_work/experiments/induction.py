"""An induction head forms: attention only, one layer or two, on random tokens that repeat.

To continue "A B … A" with "B", a model must find the earlier "A" and copy the token after it. Nothing else helps,
because the tokens are random and cannot be predicted in any other way.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import adamw_trainer
from core.train.trainer import Trainer

LABELS = module_labels(__name__)

VOCAB_SIZE = 32
LENGTH = 32
PERIOD_RANGE = (6, 16)  # shortest and longest number of tokens after which a sequence repeats
N_PROBE = 12  # different tokens in the probe, which come twice
BATCH = 32
N_HELD = 64
LEARNING_RATE = 6e-3
N_EVAL = 60  # evaluations, evenly spaced: for a while nothing happens, then everything changes at once
N_HEAD = (1, 2, 4)  # the choices on a page
VARIANT_LAYERS: Mapping[str, int] = {"two": 2, "one": 1}  # name -> layers
VARIANT_NAMES: Mapping[str, str] = {"two": LABELS["variant.two"], "one": LABELS["variant.one"]}


class Options(Inputs, prefix="born_"):
    """Options of the two models."""

    n_head: int = segmented_control(N_HEAD, 2, name="born_heads")
    n_step: int = hidden_training_steps(300, most=1_000)  # about fifteen seconds on one core


def config(n_layer: int, n_head: int) -> GPTConfig:
    """Return the model's config: d_model = 64, attention only, no feed-forward, no biases."""
    return GPTConfig(
        vocab_size=VOCAB_SIZE,
        context_length=LENGTH,
        n_layer=n_layer,
        n_head=n_head,
        d_model=64,
        tied=False,
        block=BlockStyle(feed_forward=False, bias=False),
    )


def draw_sequences(n: int, generator: torch.Generator) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B 1"]]:
    """Draw sequences of random tokens that repeat; each has its own period, in which no token occurs twice.

    Returns:
        ids: (n, 32).
        periods: (n, 1) from 6 to 16.
    """
    low, high = PERIOD_RANGE
    periods = torch.randint(low, high + 1, (n, 1), generator=generator)
    one_period = torch.rand(n, VOCAB_SIZE, generator=generator).argsort(-1)[:, :high]
    return one_period.gather(1, torch.arange(LENGTH) % periods), periods


def held_out_sequences(seed: int) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B 1"]]:
    """Return the 64 sequences for measuring the loss: the first ones of the seed. Training uses those after them."""
    return draw_sequences(N_HELD, torch.Generator().manual_seed(seed))


def probe_sequence(seed: int) -> list[int]:
    """Return twelve different tokens, twice: the sequence whose attention is recorded."""
    once = torch.randperm(VOCAB_SIZE, generator=torch.Generator().manual_seed(seed))[:N_PROBE].tolist()
    return once + once


def repeat_loss(
    logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"], periods: Int[Tensor, "B 1"]
) -> Float[Tensor, ""]:
    """Return the loss on the repeat in nats per token: of tokens that follow a token seen before.

    From the second period on, every token has been seen, and the token after it is known. (The last token of the first
    period is new, so it is impossible to know that the sequence starts again after it.)
    """
    losses = nn.functional.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")  # (B, T - 1)
    repeats = torch.arange(ids.shape[1] - 1) >= periods
    return losses[repeats].mean()


def known_tokens_loss(periods: Int[Tensor, "B 1"]) -> float:
    """Return the `repeat_loss` of a model that only knows which tokens a sequence has: mean ln(period)."""
    repeats = torch.arange(LENGTH - 1) >= periods
    return float((periods.double().log() * repeats).sum() / repeats.sum())


def repeat_losses(record: Record, variants: Sequence[str] = ("two", "one")) -> dict[str, NDArray[np.float64]]:
    """Return the losses on the repeat at each evaluation, by the models' display names."""
    return {VARIANT_NAMES[variant]: record[f"curve.{variant}.loss"] for variant in variants}


class Induction(Experiment):
    """A two-layer and a one-layer model on the same sequences.

    Its record, for each variant v: curve.v.loss, on the repeat of the held-out sequences; frames.v.weights
    (evaluations, L, H, T, T), on the probe, in units of 1/255.
    """

    title = LABELS["title"]
    n_eval = N_EVAL
    learned = ("curve.two.loss < 0.5", "curve.one.loss > 1.5")  # one layer only learns which tokens a sequence has

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, GPTConfig]:
        return {name: config(n_layer, options.n_head) for name, n_layer in VARIANT_LAYERS.items()}

    def make_trainer(self, config: GPTConfig) -> Trainer:
        return adamw_trainer(config, self.seed, LEARNING_RATE, self.n_step)

    def begin(self) -> None:
        self._held_out, self.probe = draw_sequences(N_HELD, self.generator), probe_sequence(self.seed)

    def batch(self) -> tuple[Tensor]:
        return (draw_sequences(BATCH, self.generator)[0],)

    def loss(self, model: nn.Module, ids: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
        return nn.functional.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())

    def measure_one(self, model: nn.Module) -> Mapping[str, float]:
        return {"loss": float(repeat_loss(model(self._held_out[0]), *self._held_out))}
