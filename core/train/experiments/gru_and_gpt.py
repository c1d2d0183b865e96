"""A GRU and a GPT that learn the same text from the same batches, with the same optimizer."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.models import registry
from core.train.device import Placement
from core.train.experiments.base import Experiment
from core.train.recipes import Recipe
from core.train.tasks.defaults import FAST_BLOCK
from core.train.trainer import Trainer
from core.train.weight_init_and_optimizer import initialize_weights, make_optimizer

NETWORKS = ("gru", "gpt")


@dataclass(frozen=True)
class GRUAndGPTSettings:
    """The sizes of the two networks, and the settings of their training.

    Args:
        d_model: widths of the GRU and of the GPT. n_layer, n_head: of the GPT; the GRU has one layer.
        context_length: tokens of a training window.
        positions, slopes: the GPT's encoding of positions.
        batch_size: windows in each step.
        learning_rates: of the GRU and of the GPT; they decay linearly to 0.
    """

    d_model: tuple[int, int]
    n_head: int
    context_length: int
    batch_size: int
    learning_rates: tuple[float, float]
    n_layer: int = 2
    positions: str = "alibi"
    slopes: tuple[float, ...] | None = None


def recipe(net: str, sizes: GRUAndGPTSettings, n_step: int) -> Recipe:
    """Return the recipe of one of the two networks."""
    which = NETWORKS.index(net)
    model: dict[str, object] = {"d_model": sizes.d_model[which], "context_length": sizes.context_length, "tied": False}
    if net == "gru":
        model |= {"kind": "rnn", "cell": "gru", "n_layer": 1}
    else:
        model |= {
            "n_layer": sizes.n_layer,
            "n_head": sizes.n_head,
            "positions": sizes.positions,
            "slopes": None if sizes.slopes is None else list(sizes.slopes),
            "embed_norm": True,
            "block": dict(FAST_BLOCK),
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
    """The trainer of one network, with Muon for its matrices and AdamW for the rest; `dtype`: of a record's weights."""

    def __init__(self, one: Recipe, vocab_size: int, seed: int, dtype: type[np.floating] = np.float16):
        model = registry.build(one.config(vocab_size), seed)
        initialize_weights(model, one, seed)
        optimizer = make_optimizer(model, one, Placement("cpu", "float32"))
        super().__init__(model, optimizer, one.learning_rate_share, n_step=one.n_step, dtype=dtype)

    def learn_windows(self, windows: Int[Tensor, "B T_plus_1"]) -> None:
        """Make one step: predict every token of the windows from those before it."""
        logits = self.model(windows[:, :-1])
        self.learn(F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()))


@torch.no_grad()
def next_token_losses(model: nn.Module, windows: Int[Tensor, "W T_plus_1"], n_batch: int = 64) -> NDArray[np.float32]:
    """Return the model's loss for each next token (W, T), in nats."""
    found = [F.cross_entropy(model(some[:, :-1]).mT, some[:, 1:], reduction="none") for some in windows.split(n_batch)]
    return torch.cat(found).numpy()


def second_half_losses(model: nn.Module, windows: Int[Tensor, "W T_plus_1"]) -> NDArray[np.float32]:
    """Return the loss (W, T / 2) of the tokens in the second half of each window, in nats."""
    return next_token_losses(model, windows)[:, (windows.shape[1] - 1) // 2 :]


class GRUAndGPTExperiment(Experiment):
    """A GRU and a GPT, or several pairs of them; the two of a pair learn from the same batches.

    Its record names a variant "<net>", or "<pair>.<net>" where there are several pairs.
    """

    precision = np.float32
    sizes: ClassVar[GRUAndGPTSettings]
    eval_every: ClassVar[int]

    def meet(self, vocab_size: int, pairs: Sequence[str] = ("",)) -> None:
        """Make the networks."""
        both = [(net, recipe(net, self.sizes, self.n_step)) for net in NETWORKS]
        self._nets = {
            pair: {f"{pair}.{net}".strip("."): NextTokenTrainer(one, vocab_size, self.seed) for net, one in both}
            for pair in pairs
        }
        self.trainers = {name: net for nets in self._nets.values() for name, net in nets.items()}

    @abstractmethod
    def windows(self, pair: str) -> Int[Tensor, "B T_plus_1"]:
        """Return the next batch of both networks of a pair."""

    def learn(self) -> None:
        for pair, nets in self._nets.items():
            windows = self.windows(pair)
            for name, net in nets.items():
                with self.timed(name):
                    net.learn_windows(windows)
