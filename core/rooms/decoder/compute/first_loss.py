"""The loss of a decoder that has learned nothing, over many draws of its weights: ln V, and a little more.

Logits that are random numbers of variance s^2 make the loss about ln V + s^2 / 2: the softmax shares out as much as
before, but unevenly, and the logarithm punishes what it takes more than it rewards what it gives.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.models import registry
from core.models.gpt import GPT
from core.models.lecture_gpt import LECTURE_GPT, lecture_gpt

Start = Literal["torch", "gpt2", "zero"]
START_NAMES: Mapping[Start, str] = MappingProxyType(
    {
        "torch": "as its layers start by themselves",
        "gpt2": "as GPT-2 starts: deviation 0.02",
        "zero": "with an output layer of zeros",
    }
)

# The 32 tokens of the lecture note's example: the model reads the first 31 and should say the last 31.
NOTE_IDS = (
    55, 349, 344, 340, 248, 185, 385, 295, 235, 288, 460, 69, 506, 76, 263, 484, 107, 475, 183, 136, 165, 399, 49, 60,
    365, 508, 409, 266, 327, 455, 360, 357,
)  # fmt: skip
NOTE_LOSS = 6.5316  # what it prints


@dataclass(frozen=True)
class FirstLosses:
    """Losses of untrained models, nats per token, one for each seed.

    Args:
        window: (S,) on the note's 31 targets.
        every: (S,) the same inputs, but the mean over all 512 possible targets of each place: no luck of the draw.
        variance: (S,) of the logits of a place, mean over the 31 places.
    """

    window: NDArray[np.float64]
    every: NDArray[np.float64]
    variance: NDArray[np.float64]


def started(start: Start, seed: int) -> GPT:
    """The note's model, not trained.

    Args:
        start: "torch" as its modules start by themselves; "gpt2": as GPT-2 starts, normal with deviation 0.02;
            "zero": as "torch", but the output layer is 0.
        seed: of the weights.
    """
    if start == "gpt2":
        return registry.build(LECTURE_GPT, seed).eval().requires_grad_(False)
    model = lecture_gpt(seed).eval().requires_grad_(False)
    if start == "zero":
        model.unembed.weight.zero_()
        model.unembed.bias.zero_()
    return model


def losses_of(logits: Tensor) -> tuple[float, float, float]:
    """Loss on the note's targets, mean loss over all targets, and variance, from logits (31, V)."""
    targets = torch.tensor(NOTE_IDS[1:])
    window = F.cross_entropy(logits, targets)
    every = -logits.log_softmax(-1).mean()
    return float(window), float(every), float(logits.var(-1, correction=0).mean())


@torch.no_grad()
def first_losses(start: Start, n_seed: int) -> FirstLosses:
    """Build the note's model anew for the seeds 0, 1, ... and run its 31 tokens through each."""
    inputs = torch.tensor([NOTE_IDS[:-1]])
    found = [losses_of(started(start, seed)(inputs)[0].double()) for seed in range(n_seed)]
    return FirstLosses(*(np.array(column) for column in zip(*found, strict=True)))


def loss_table(found: Mapping[Start, FirstLosses]) -> dict[str, list[Any]]:
    """The losses on the note's targets, one line for each seed, one column for each start."""
    n_seed = len(next(iter(found.values())).window)
    columns = {f"{START_NAMES[start]}: loss": one.window.round(5).tolist() for start, one in found.items()}
    return {"seed": list(range(n_seed)), **columns}


def expected(n_in: int, vocab_size: int) -> float:
    """What theory says of torch's own start: ln V + s^2 / 2, with the variance s^2 of the logits.

    The last norm makes the n_in numbers of a row have mean square 1. Each weight is uniform up to 1 / sqrt(n_in), so
    its variance is 1 / (3 n_in); n_in products add up to 1/3, and the bias adds 1 / (3 n_in).
    """
    variance = 1 / 3 + 1 / (3 * n_in)
    return math.log(vocab_size) + variance / 2
