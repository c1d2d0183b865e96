"""The loss of an untrained decoder, over many initializations: ln V, and a little more.

Logits that are random numbers of variance s^2 give a loss of about ln V + s^2 / 2. The softmax still distributes a
total of 1, but unevenly, and the logarithm penalizes losses of probability more than it rewards gains.
"""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from core import ui
from core.charts.marks import dot_layer, halo_text_layers, rule_layer
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, memoize, segmented_control
from core.models import registry
from core.models.configs.lecture_gpt import LECTURE_GPT, init_linear, lecture_gpt
from core.models.gpt import GPT, GPTConfig

LABELS = module_labels(__name__)

STARTS = {
    "torch": LABELS["start.torch"],
    "gpt2": LABELS["start.gpt2"],
    "zero": LABELS["start.zero"],
}
N_SEED = 20
UNIFORM_LOSS = math.log(LECTURE_GPT.vocab_size)
# The 32 tokens of the lecture note's example: the model reads the first 31 and should predict the last 31.
NOTE_IDS = (
    55, 349, 344, 340, 248, 185, 385, 295, 235, 288, 460, 69, 506, 76, 263, 484, 107, 475, 183, 136, 165, 399, 49, 60,
    365, 508, 409, 266, 327, 455, 360, 357,
)  # fmt: skip
NOTE_LOSS = 6.5316  # the loss that the note prints
WARM_UP = True  # sixty models of eight million parameters take a second and a half


class Inputs(Base, prefix="first_"):
    start: str = segmented_control(STARTS, "torch")


class FirstLosses(Result):
    """Losses of untrained models, nats per token, one for each seed."""

    window: NDArray[np.float64]  # (S,) on the note's 31 targets
    # (S,) on the same inputs, averaged over all 512 possible targets of each position, without sampling noise
    every: NDArray[np.float64]
    variance: NDArray[np.float64]  # (S,) variance of the logits at a position, mean over the 31 positions


class InitialLosses(Result):
    """The losses of untrained models, by initialization."""

    by_start: dict[str, FirstLosses]
    chosen: FirstLosses
    formula: str
    blind: float = UNIFORM_LOSS
    config: GPTConfig = LECTURE_GPT
    n_weight: int
    expected: float

    def table(self) -> Table:
        columns = {
            LABELS("loss_of_start", start=STARTS[name]): one.window.round(5).tolist()
            for name, one in self.by_start.items()
        }
        return {LABELS["seed"]: list(range(N_SEED)), **columns}


def untrained_gpt(start: str, seed: int) -> GPT:
    """Return the note's model, untrained.

    Args:
        start: "torch" is the default initialization of its modules; "gpt2" is normal, with standard deviation 0.02;
            "zero" is "torch" with an output layer of zeros.
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
    """Initialize the note's model for the seeds 0, 1, ... and run its 31 tokens through each."""
    inputs, targets, found = torch.tensor([NOTE_IDS[:-1]]), torch.tensor(NOTE_IDS[1:]), []
    for seed in range(n_seed):
        logits = untrained_gpt(start, seed)(inputs)[0].double()  # (31, V)
        window, every = F.cross_entropy(logits, targets), -logits.log_softmax(-1).mean()
        found.append(torch.stack([window, every, logits.var(-1, correction=0).mean()]))
    window, every, variance = torch.stack(found, -1).numpy()
    return FirstLosses(window=window, every=every, variance=variance)


def theoretical_loss(n_in: int = LECTURE_GPT.d_model, vocab_size: int = LECTURE_GPT.vocab_size) -> float:
    """Return the loss predicted by theory for torch's default initialization.

    It is ln V + s^2 / 2, where s^2 is the variance of the logits. The last norm gives the n_in numbers of a row a mean
    square of 1. Each weight is uniform up to 1 / sqrt(n_in), so its variance is 1 / (3 n_in). The n_in products add up
    to a variance of 1/3, and the bias adds 1 / (3 n_in).
    """
    variance = 1 / 3 + 1 / (3 * n_in)
    return math.log(vocab_size) + variance / 2


CODE = (lecture_gpt, init_linear, first_losses, theoretical_loss)


def compute(inputs: Inputs) -> InitialLosses:
    """Compute the losses of sixty untrained models on the note's 31 tokens."""
    by_start = {start: first_losses(start) for start in STARTS}
    variance = by_start[inputs.start].variance.mean()
    return InitialLosses(
        by_start=by_start,
        chosen=by_start[inputs.start],
        formula=rf"{UNIFORM_LOSS:.4f} + \tfrac12 \cdot {variance:.4f} = {UNIFORM_LOSS + variance / 2:.4f}",
        n_weight=sum(parameter.numel() for parameter in registry.build_empty(LECTURE_GPT).parameters()),
        expected=theoretical_loss(),
    )


def draw(result: InitialLosses, inputs: Inputs) -> None:
    """Draw the losses as dots on a line for each initialization, and the reference values across."""
    blind = LABELS["blind.exact"] if ui.depth_at_least("numbers") else LABELS["blind"]
    marks = {blind: UNIFORM_LOSS, LABELS["theory"]: result.expected, LABELS["note"]: NOTE_LOSS}
    title = ui.quantity_label(LABELS["loss_axis"], LABELS["loss_unit"])
    layers = [rule_layer({"value": [*marks.values()]}, x="value")]
    values = [*marks.values()]
    # The names are above their dots, and the names of the marks on top, because next to the axis they would take half
    # of a phone's width. The first row is left to the marks.
    for row, (start, one) in enumerate(result.by_start.items(), 1):
        losses, n = one.window.tolist(), len(one.window)
        columns = {"value": losses, "row": [row] * n, "start": [STARTS[start]] * n, "seed": list(range(n))}
        look = {"color": "accent", "opacity": 0.85} if start == inputs.start else {"color": 0, "opacity": 0.35}
        tip = [("start", LABELS["tip.start"], ""), ("seed", LABELS["seed"], ""), ("value", title, ".4f")]
        layers.append(dot_layer(columns, "value", "row", tip=tip, **look))
        layers += halo_text_layers({"start": [STARTS[start]], "row": [row]}, "start", 4, "row", align="left", dy=-17)
        values += losses
    middle = (min(values) + max(values)) / 2
    for n, (name, value) in enumerate(marks.items()):
        side = {"align": "right", "dx": -5} if value > middle else {"align": "left", "dx": 5}
        label: Table = {"label": [LABELS("mark", name=name, value=value)], "value": [value]}
        layers += halo_text_layers(label, "label", "value", 8 + 16 * n, fontWeight=600, **side)
    room = (max(values) - min(values)) * 0.06
    ui.plot(
        layers,
        x=ui.Axis(title, (min(values) - room, max(values) + room), format=".2f"),
        y=ui.Axis(labels=[""] * (1 + len(STARTS))),
        alt=LABELS("alt", n_seed=N_SEED, uniform_loss=UNIFORM_LOSS),
    )
