"""The loss of a decoder that has learned nothing, over many draws of its weights: ln V, and a little more.

Logits that are random numbers of variance s^2 make the loss about ln V + s^2 / 2: the softmax shares out as much as
before, but unevenly, and the logarithm punishes what it takes more than it rewards what it gives.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from core import ui
from core.charts import marks
from core.charts.plot import Layer, table
from core.exhibit import Inputs as Base
from core.exhibit import memoize, segmented
from core.models import registry
from core.models.configs.lecture_gpt import LECTURE_GPT, lecture_gpt, start_linear
from core.models.gpt import GPT

STARTS = {
    "torch": "as its layers start by themselves",
    "gpt2": "as GPT-2 starts: deviation 0.02",
    "zero": "with an output layer of zeros",
}
N_SEED = 20
BLIND = math.log(LECTURE_GPT.vocab_size)
# The 32 tokens of the lecture note's example: the model reads the first 31 and should say the last 31.
NOTE_IDS = (
    55, 349, 344, 340, 248, 185, 385, 295, 235, 288, 460, 69, 506, 76, 263, 484, 107, 475, 183, 136, 165, 399, 49, 60,
    365, 508, 409, 266, 327, 455, 360, 357,
)  # fmt: skip
NOTE_LOSS = 6.5316  # what it prints
WARM_UP = True  # sixty models of eight million parameters take a second and a half


ROW = 46  # css pixels


class Inputs(Base, prefix="first_"):
    start: str = segmented("Weights", STARTS, "torch")


@dataclass(frozen=True)
class FirstLosses:
    """Losses of untrained models, nats per token, one for each seed."""

    window: NDArray[np.float64]  # (S,) on the note's 31 targets
    # (S,) the same inputs, but the mean over all 512 possible targets of each place: no luck of the draw
    every: NDArray[np.float64]
    variance: NDArray[np.float64]  # (S,) of the logits of a place, mean over the 31 places


@dataclass(frozen=True)
class Starts:
    by_start: Mapping[str, FirstLosses]
    start: str

    @property
    def blind(self) -> float:
        return BLIND

    @property
    def chosen(self) -> FirstLosses:
        return self.by_start[self.start]

    @property
    def formula(self) -> str:
        variance = self.chosen.variance.mean()
        return rf"{BLIND:.4f} + \tfrac12 \cdot {variance:.4f} = {BLIND + variance / 2:.4f}"

    def table(self) -> dict[str, list[Any]]:
        columns = {f"{STARTS[name]}: loss": one.window.round(5).tolist() for name, one in self.by_start.items()}
        return {"seed": list(range(N_SEED)), **columns}


def started(start: str, seed: int) -> GPT:
    """The note's model, not trained.

    Args:
        start: "torch" as its modules start by themselves; "gpt2" normal, with deviation 0.02; "zero" as "torch", but
            for an output layer of zeros.
    """
    if start == "gpt2":
        return registry.build(LECTURE_GPT, seed).eval().requires_grad_(False)
    model = lecture_gpt(seed).eval().requires_grad_(False)
    if start == "zero":
        model.unembed.weight.zero_()
        model.unembed.bias.zero_()
    return model


@memoize(len(STARTS))
@torch.no_grad()
def first_losses(start: str, n_seed: int = N_SEED) -> FirstLosses:
    """Build the note's model anew for the seeds 0, 1, ... and run its 31 tokens through each."""
    inputs, targets, found = torch.tensor([NOTE_IDS[:-1]]), torch.tensor(NOTE_IDS[1:]), []
    for seed in range(n_seed):
        logits = started(start, seed)(inputs)[0].double()  # (31, V)
        window, every = F.cross_entropy(logits, targets), -logits.log_softmax(-1).mean()
        found.append(torch.stack([window, every, logits.var(-1, correction=0).mean()]))
    return FirstLosses(*torch.stack(found, -1).numpy())


def expected(n_in: int = LECTURE_GPT.d_model, vocab_size: int = LECTURE_GPT.vocab_size) -> float:
    """What theory says of torch's own start: ln V + s^2 / 2, with the variance s^2 of the logits.

    The last norm makes the n_in numbers of a row have mean square 1. Each weight is uniform up to 1 / sqrt(n_in), so
    its variance is 1 / (3 n_in); n_in products add up to 1/3, and the bias adds 1 / (3 n_in).
    """
    variance = 1 / 3 + 1 / (3 * n_in)
    return math.log(vocab_size) + variance / 2


CODE = (lecture_gpt, start_linear, first_losses, expected)


def compute(inputs: Inputs) -> Starts:
    """The losses of sixty untrained models on the note's 31 tokens."""
    return Starts({start: first_losses(start) for start in STARTS}, inputs.start)


def draw(result: Starts, inputs: Inputs) -> None:
    blind = "ln 512" if ui.at_least("numbers") else "a blind guess"
    known = {blind: BLIND, "theory for the first": expected(), "the note's": NOTE_LOSS}
    groups = {STARTS[name]: one.window for name, one in result.by_start.items()}
    ui.plot(
        _layers(groups, known, STARTS[inputs.start]),
        x=ui.Axis(ui.measured("untrained loss", "nats per token"), _ends([*groups.values(), [*known.values()]])),
        y=ui.Axis(labels=[""] * (2 + len(groups))),
        height=ROW * (2 + len(groups)),
        alt=f"Untrained losses of {N_SEED} seeds for each start; ln 512 is {BLIND:.3f}.",
    )
    ui.say("mean", n_seed=N_SEED)
    ui.say("losses", blind=BLIND)
    n_weight = sum(parameter.numel() for parameter in registry.empty(LECTURE_GPT).parameters())
    ui.say("model", config=LECTURE_GPT, n_weight=n_weight)
    ui.say("theory", config=LECTURE_GPT, expected=expected())


def _layers(groups: Mapping[str, NDArray[Any]], known: Mapping[str, float], chosen: str) -> list[Layer]:
    """A line of dots for each group, the chosen one in full color, below the names of known values."""
    low, high = _ends([*groups.values(), [*known.values()]])
    rows = [(v, 2 + i, name, seed) for i, (name, some) in enumerate(groups.items()) for seed, v in enumerate(some)]
    values = table([(value, f"{name} {value:.2f}") for name, value in known.items()], "value", "label")
    names = table([(2 + i, name, low) for i, name in enumerate(groups)], "row", "name", "value")
    tip = [("name", "start", ""), ("seed", "", ""), ("value", "loss", ".4f")]
    layers = [marks.rule(values, "value", data="lines")]
    for is_chosen in (False, True):
        some = table([row for row in rows if (row[2] == chosen) == is_chosen], "value", "row", "name", "seed")
        look = {"color": "accent", "opacity": 0.85} if is_chosen else {"color": 0, "opacity": 0.35}
        layers.append(marks.dot(some, "value", "row", tip=tip, **look))
    # Names of the groups above their dots, and of the known values above all: labels would take half of a phone.
    layers += marks.over_lines(names, "name", "value", "row", align="left", dx=4, dy=-17)
    for n, (value, label) in enumerate(zip(*values.values(), strict=True)):
        side = {"align": "right", "dx": -5} if value > (low + high) / 2 else {"align": "left", "dx": 5}
        here = {"value": [value], "label": [label]}
        layers += marks.over_lines(here, "label", "value", 8 + 16 * n, fontWeight=600, **side)
    return layers


def _ends(groups: Sequence[Any]) -> tuple[float, float]:
    """The lowest and the highest of all values, with some room."""
    low, high = (float(end(end(some) for some in groups)) for end in (min, max))
    return low - 0.06 * (high - low), high + 0.06 * (high - low)
