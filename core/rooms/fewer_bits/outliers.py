"""One channel made many times larger, in a model that says the same: what that does to a shared scale."""

from typing import Any

import torch

from core import ui
from core.exhibit import MAX_FIGURES, Result, memoize, segmented
from core.inspect.reading.model_and_text import load
from core.inspect.reading.model_key import ModelKey
from core.nn.tap import Trace
from core.rooms.fewer_bits.compute import outlier
from core.rooms.fewer_bits.compute.judge import judged_on, log_probabilities, loss_of, original
from core.rooms.fewer_bits.compute.outlier import BITS, TIMES, WAYS, multiplied, round_activations, with_outlier
from core.rooms.fewer_bits.compute.quantise import quantise
from core.rooms.fewer_bits.inputs import Text
from core.rooms.fewer_bits.levels import Levels, count, draw_levels

WHATS = {"weights": "the weights, in 4 bits", "flow": "the activations, in 8 bits"}
LABELS = {"weights": "Weights of the values, layer 0", "flow": "Mixed values, layer 0"}
CODE = (outlier.multiplied, quantise, round_activations, outlier.stands_out)


class Inputs(Text, prefix="outlier_"):
    times: int = segmented("One channel, times", {one: str(one) for one in TIMES}, 16)
    what: str = segmented("Round", WHATS, "weights")


class Outlier(Result):
    """A model with an outlier."""

    before: float  # the loss without rounding, nats per token; with any outlier it is the same
    moved: float  # the largest change of a log-probability by the outlier alone
    ways: dict[str, str]  # of rounding, and their names
    losses: dict[str, tuple[float, ...]]  # of each way, for each of `TIMES`
    here: dict[str, float]  # the loss of each way with this outlier
    shared: float  # the same with one scale for everything
    zeros: dict[str, float]  # of each way, the share of the rounded numbers that became 0, in layer 0

    def table(self) -> dict[str, Any]:
        """One line for each size of the outlier."""
        return {"times": [*TIMES], **{self.ways[way]: [*losses] for way, losses in self.losses.items()}}


def compute(inputs: Inputs) -> Outlier:
    """The loss by the size of the outlier, for each way of sharing scales."""
    key, ids_key, what = inputs.given.key, inputs.given.encoded.ids_key, inputs.what
    windows, model = judged_on(key, ids_key), load(key).model
    before = torch.tensor(original(key, ids_key))
    moved = (log_probabilities(model, windows, multiplied(model, inputs.times)) - before).abs().max()
    found = {way: [with_outlier(key, ids_key, times, what, way) for times in TIMES] for way in WAYS[what]}
    here = {way: some[TIMES.index(inputs.times)] for way, some in found.items()}
    return Outlier(
        before=loss_of(before, windows),
        moved=float(moved),
        ways=WAYS[what],
        losses={way: tuple(one.loss for one in some) for way, some in found.items()},
        here={way: one.loss for way, one in here.items()},
        shared=next(iter(here.values())).loss,
        zeros={way: one.zeros for way, one in here.items()},
    )


@memoize(MAX_FIGURES)
def _shown(key: ModelKey, ids_key: str, times: int, what: str) -> Levels:
    """Count what is rounded in layer 0, before and after, with one scale for all of it."""
    model = load(key).model
    weights = multiplied(model, times)
    if what == "weights":
        weight = weights["blocks.0.attn.w_v.weight"]
        return count(weight, quantise(weight, BITS[what], "matrix").restored)
    with Trace(model) as trace:
        log_probabilities(model, judged_on(key, ids_key), weights)
    x = trace["blocks.0.attn.heads"].transpose(1, 2).flatten(2)  # (B, T, C)
    return count(x, round_activations(x, BITS[what], "all"))


def warm_up() -> None:
    """Put an outlier into the default model once, so that the first visitor need not wait a second."""
    compute(Inputs())


def draw(result: Outlier, inputs: Inputs) -> None:
    """The numbers that are rounded with one scale; and the loss by the size of the outlier."""
    given, what = inputs.given, inputs.what
    left, right = ui.pair("outlier")
    with left:
        draw_levels(
            _shown(given.key, given.encoded.ids_key, inputs.times, what),
            names=("before", f"{BITS[what]} bits, one scale"),
            key=f"outlier.{given.content}",
            label=LABELS[what],
        )
    with right:
        ui.curves(
            {name: (TIMES, result.losses[way]) for way, name in result.ways.items()},
            x=ui.Axis("the channel, times", (TIMES[0], TIMES[-1]), is_log=True, ticks=TIMES),
            y=ui.measured("loss", "nats per token"),
            at=inputs.times,
            height=240,
        )
