"""An induction head is born: attention alone, one layer or two, on random tokens that repeat.

"A B … A" continues with "B" for whoever finds the earlier "A" and copies what came after it. Nothing else helps: the
tokens are random, so there is nothing to know about them beforehand.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.exhibit import Inputs, segmented, steps
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.train.experiment import Record
from core.train.experiments.base import Experiment
from core.train.experiments.trainers import adamw_trainer
from core.train.trainer import Trainer

VOCAB_SIZE = 32
LENGTH = 32
PERIODS = (6, 16)  # after so many tokens, from the lowest to the highest, a sequence begins again
N_PROBE = 12  # tokens of the probe, which come twice
BATCH = 32
N_HELD = 64
LEARNING_RATE = 6e-3
N_LOOK = 60  # times that loss and attention are looked at, evenly: for a while nothing happens, then all at once
N_HEAD = (1, 2, 4)  # that a page offers
VARIANTS: Mapping[str, int] = {"two": 2, "one": 1}  # name -> layers
NAMES: Mapping[str, str] = {"two": "two layers", "one": "one layer"}


class Options(Inputs, prefix="born_"):
    """The two models."""

    n_head: int = segmented("Heads in each layer", N_HEAD, 2, name="born_heads")
    n_step: int = steps(300, most=1_000)  # about fifteen seconds on one core


def config(n_layer: int, n_head: int) -> GPTConfig:
    """The model: 64 wide, attention alone, no feed-forward, no biases."""
    return GPTConfig(
        vocab_size=VOCAB_SIZE,
        context_length=LENGTH,
        n_layer=n_layer,
        n_head=n_head,
        d_model=64,
        tied=False,
        block=BlockStyle(feed_forward=False, bias=False),
    )


def draw(n: int, generator: torch.Generator) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B 1"]]:
    """Random tokens that repeat: each sequence has its own period, and within one period no token comes twice.

    Returns:
        ids: (n, 32).
        periods: (n, 1) from 6 to 16.
    """
    low, high = PERIODS
    periods = torch.randint(low, high + 1, (n, 1), generator=generator)
    one_period = torch.rand(n, VOCAB_SIZE, generator=generator).argsort(-1)[:, :high]
    return one_period.gather(1, torch.arange(LENGTH) % periods), periods


def held_out(seed: int) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B 1"]]:
    """The 64 sequences that measure the loss: the first that the seed gives. Training goes on with those after them."""
    return draw(N_HELD, torch.Generator().manual_seed(seed))


def probe(seed: int) -> list[int]:
    """Twelve different tokens, twice: the sequence whose attention is kept."""
    once = torch.randperm(VOCAB_SIZE, generator=torch.Generator().manual_seed(seed))[:N_PROBE].tolist()
    return once + once


def repeat_loss(
    logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"], periods: Int[Tensor, "B 1"]
) -> Float[Tensor, ""]:
    """Loss on the repeat, nats per token: of what follows a token that was there before.

    From the second period on, every token has been seen and what follows it is known. (The last token of the first
    period is new, so nobody can know that the sequence now begins again.)
    """
    losses = nn.functional.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")  # (B, T - 1)
    repeats = torch.arange(ids.shape[1] - 1) >= periods
    return losses[repeats].mean()


def bag_loss(periods: Int[Tensor, "B 1"]) -> float:
    """What `repeat_loss` is for one who knows which tokens a sequence has, and nothing else: mean ln(period)."""
    repeats = torch.arange(LENGTH - 1) >= periods
    return float((periods.double().log() * repeats).sum() / repeats.sum())


def losses(record: Record, variants: Sequence[str] = ("two", "one")) -> dict[str, NDArray[np.float64]]:
    """The losses on the repeat of these models by their names, at each look."""
    return {NAMES[variant]: record[f"curve.{variant}.loss"] for variant in variants}


class Induction(Experiment):
    """Two layers beside one, on the same sequences.

    Its record, for each variant v: curve.v.loss, on the repeat of the held-out sequences; frames.v.weights
    (looks, L, H, T, T), on the probe, in steps of 1/255.
    """

    title = "An induction head is born"
    n_look = N_LOOK
    learned = ("curve.two.loss < 0.5", "curve.one.loss > 1.5")  # one layer learns which tokens there are, and no more

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, GPTConfig]:
        return {name: config(n_layer, options.n_head) for name, n_layer in VARIANTS.items()}

    def make_trainer(self, config: GPTConfig) -> Trainer:
        return adamw_trainer(config, self.seed, LEARNING_RATE, self.n_step)

    def begin(self) -> None:
        self._held_out, self.probe = draw(N_HELD, self.generator), probe(self.seed)

    def batch(self) -> tuple[Tensor]:
        return (draw(BATCH, self.generator)[0],)

    def loss(self, model: nn.Module, ids: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
        return nn.functional.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())

    def measure_one(self, model: nn.Module) -> Mapping[str, float]:
        return {"loss": float(repeat_loss(model(self._held_out[0]), *self._held_out))}
