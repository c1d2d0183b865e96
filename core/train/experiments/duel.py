"""A GRU and a GPT that learn the same text from the same batches, with the same optimizer."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.models import registry
from core.train.device import Placement
from core.train.initialization import make_optimizer, start_weights
from core.train.recipes import Recipe
from core.train.trainer import Trainer

NETS = ("gru", "gpt")
# The parts of a GPT that learn fast on one core; see `core.train.recipes`.
STYLE = {"norm": "rms_plain", "activation": "relu2", "bias": False, "qk_norm": True}


@dataclass(frozen=True)
class Sizes:
    """The sizes of the two nets, and how they learn.

    Args:
        d_model: widths of the GRU and of the GPT. n_layer, n_head: of the GPT; the GRU has one layer.
        context_length: tokens of a training window.
        positions, slopes: how the GPT knows where a token stands.
        batch_size: windows in each step.
        learning_rates: of the GRU and of the GPT, brought down to 0 on a straight line.
    """

    d_model: tuple[int, int]
    n_head: int
    context_length: int
    batch_size: int
    learning_rates: tuple[float, float]
    n_layer: int = 2
    positions: str = "alibi"
    slopes: tuple[float, ...] | None = None


def recipe(net: str, sizes: Sizes, n_step: int) -> Recipe:
    """The model and the training of one of the two nets."""
    which = NETS.index(net)
    model: dict[str, Any] = {"d_model": sizes.d_model[which], "context_length": sizes.context_length, "tied": False}
    if net == "gru":
        model |= {"kind": "rnn", "cell": "gru", "n_layer": 1}
    else:
        model |= {
            "n_layer": sizes.n_layer,
            "n_head": sizes.n_head,
            "positions": sizes.positions,
            "slopes": None if sizes.slopes is None else list(sizes.slopes),
            "embed_norm": True,
            "block": STYLE,
        }
    return Recipe(
        name=net,
        title=net,
        corpus="",
        model=model,
        learning_rate=sizes.learning_rates[which],
        batch_size=sizes.batch_size,
        n_step=n_step,
    )


class NextTokenTrainer(Trainer):
    """One net on its way through a training: Muon for its matrices, AdamW for the rest.

    Args:
        one: the recipe.
        vocab_size: of the tokens.
        seed: of its weights; the generator is its own.
    """

    def __init__(self, one: Recipe, vocab_size: int, seed: int):
        model = registry.build(one.config(vocab_size), seed)
        start_weights(model, one, seed)
        optimizer = make_optimizer(model, one, Placement("cpu", "float32"))
        super().__init__(model, optimizer, one.learning_rate_share, n_step=one.n_step)

    def learn_windows(self, windows: Int[Tensor, "B T_plus_1"]) -> None:
        """One step: predict every token of the windows from those before it."""
        logits = self.model(windows[:, :-1])
        self.learn(F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()))


@torch.no_grad()
def losses(model: Any, windows: Int[Tensor, "W T_plus_1"], n_batch: int = 64) -> NDArray[np.float32]:
    """(W, T) nats that each next token costs the model."""
    found = [F.cross_entropy(model(some[:, :-1]).mT, some[:, 1:], reduction="none") for some in windows.split(n_batch)]
    return torch.cat(found).numpy()


def late_losses(model: Any, windows: Int[Tensor, "W T_plus_1"]) -> NDArray[np.float32]:
    """(W, T / 2) nats of the tokens in the second half of each window; see `core.data.slices`."""
    return losses(model, windows)[:, (windows.shape[1] - 1) // 2 :]


class Duel(ABC):
    """Pairs of a GRU and a GPT, one step of each net at a time; the two of a pair learn from the same batches.

    Args:
        sizes: of all nets.
        pairs: their names, one for each text that is learned from.
        vocab_size: of the tokens.
        n_step: of each net.
        seed: of the weights and the batches.
        look_every: steps from one measurement to the next; the start and the end are always measured.
    """

    def __init__(self, sizes: Sizes, pairs: Sequence[str], *, vocab_size: int, n_step: int, seed: int, look_every: int):
        self.n_step, self.step = n_step, 0
        self.pairs = {
            pair: {net: NextTokenTrainer(recipe(net, sizes, n_step), vocab_size, seed) for net in NETS}
            for pair in pairs
        }
        self.generator = torch.Generator().manual_seed(seed)
        self._look_every = look_every
        self._steps: list[int] = []
        self._curves: dict[str, list[float]] = {}
        self._seconds = {f"{pair}.{net}": 0.0 for pair in pairs for net in NETS}
        self._spent: list[list[float]] = []
        self._look()

    @abstractmethod
    def batch(self, pair: str) -> Int[Tensor, "B T_plus_1"]:
        """The windows that both nets of a pair learn from next."""

    @abstractmethod
    def measure(self) -> Mapping[str, float]:
        """What the nets are judged by, by the name of its curve."""

    def advance(self) -> None:
        for pair, nets in self.pairs.items():
            windows = self.batch(pair)
            for net, trainer in nets.items():
                started = time.thread_time()
                trainer.learn_windows(windows)
                self._seconds[f"{pair}.{net}"] += time.thread_time() - started
        self.step += 1
        if self.step % self._look_every == 0 or self.step == self.n_step:
            self._look()

    def curves(self) -> dict[str, NDArray[Any]]:
        """step (n,), and curve.<name> (n,) for all that is measured."""
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps, dtype=np.int32)}
        return found | {f"curve.{name}": np.array(values, dtype=np.float32) for name, values in self._curves.items()}

    def seconds(self) -> dict[str, NDArray[np.float32]]:
        """seconds.<pair>.<net> (n,): seconds of one core that its steps took up to each measurement.

        Measured by the clock, so that they differ from run to run, and from machine to machine.
        """
        spent = np.array(self._spent, dtype=np.float32)
        return {f"seconds.{name}": spent[:, i] for i, name in enumerate(self._seconds)}

    def _look(self) -> None:
        self._steps.append(self.step)
        self._spent.append(list(self._seconds.values()))
        for name, value in self.measure().items():
            self._curves.setdefault(name, []).append(value)
