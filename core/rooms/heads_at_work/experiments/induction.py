"""An induction head is born: attention alone, one layer or two, on random tokens that repeat.

"A B … A" continues with "B" for whoever finds the earlier "A" and copies what came after it. Nothing else helps: the
tokens are random, so there is nothing to know about them beforehand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from core.train.experiment import Record
from core.train.experiments.bounded import Bounded
from core.train.experiments.trainers import adamw_trainer

VOCAB_SIZE = 32
LENGTH = 32
PERIODS = (6, 16)  # after so many tokens, from the lowest to the highest, a sequence begins again
N_PROBE = 12  # tokens of the probe, which come twice
BATCH = 32
N_HELD = 64
LEARNING_RATE = 6e-3
N_LOOK = 60  # times that loss and attention are looked at, evenly: for a while nothing happens, then all at once
N_HEAD = (1, 2, 4)  # that a page offers
VARIANTS: MappingProxyType[str, int] = MappingProxyType({"two": 2, "one": 1})  # name -> layers
NAMES: MappingProxyType[str, str] = MappingProxyType({"two": "two layers", "one": "one layer"})


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_head: heads in each layer.
        n_step: training steps of each variant.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_head": max(N_HEAD), "n_step": 1_000}  # about fifteen seconds on one core
    n_head: int = 2
    n_step: int = 300

    def __post_init__(self) -> None:
        super().__post_init__()
        if 64 % self.n_head:
            raise ValueError(f"{self.n_head} heads do not share 64 numbers evenly")


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


class Induction:
    """Two layers beside one, one step of each at a time, on the same sequences.

    Args:
        options: see there.
        seed: of the weights and of all sequences.
    """

    title: ClassVar[str] = "An induction head is born"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step, self._seed = options.n_step, 0, seed
        self._trainers = {
            name: adamw_trainer(config(n_layer, options.n_head), seed, LEARNING_RATE, self.n_step)
            for name, n_layer in VARIANTS.items()
        }
        self._generator = torch.Generator().manual_seed(seed)
        self._held, self._held_periods = draw(N_HELD, self._generator)  # `held_out`
        self._probe = torch.tensor(probe(seed))
        self._every = max(1, round(self.n_step / N_LOOK))
        self._steps: list[int] = []
        self._losses: dict[str, list[float]] = {name: [] for name in VARIANTS}
        self._frames: dict[str, list[NDArray[np.uint8]]] = {name: [] for name in VARIANTS}
        self._look()

    def advance(self) -> None:
        ids, _ = draw(BATCH, self._generator)
        for trainer in self._trainers.values():
            logits = trainer.model(ids)
            trainer.learn(nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()))
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {
            "probe": self._probe.numpy(),
            "step": np.array(self._steps),  # of the curves and of the frames
        }
        for name, trainer in self._trainers.items():
            found[f"curve.{name}.loss"] = np.array(self._losses[name])
            found[f"frames.{name}.weights"] = np.stack(self._frames[name])  # (frames, L, H, T, T), in steps of 1/255
            found |= trainer.weights(name)
        return found

    @torch.no_grad()
    def _look(self) -> None:
        """Measure the losses, and keep the attention of the probe."""
        self._steps.append(self.step)
        for name, trainer in self._trainers.items():
            loss = repeat_loss(trainer.model(self._held), self._held, self._held_periods)
            self._losses[name].append(float(loss))
            with Trace(trainer.model) as trace:
                trainer.model(self._probe[None])
            weights = [trace[f"blocks.{layer}.attn.weights"][0] for layer in range(VARIANTS[name])]
            self._frames[name].append((torch.stack(weights) * 255).round().to(torch.uint8).numpy())
