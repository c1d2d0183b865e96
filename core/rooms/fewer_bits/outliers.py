"""One channel made many times larger, in a model that says the same: what that does to a shared scale."""

from dataclasses import dataclass
from typing import Any

import torch

from core import ui
from core.charts.curves import Curve
from core.charts.lines import lines
from core.exhibit import MAX_FIGURES, memoize, segmented
from core.inspect.reading.model_and_text import load
from core.inspect.reading.model_key import ModelKey
from core.nn.tap import Trace
from core.rooms.fewer_bits.compute import outlier
from core.rooms.fewer_bits.compute.judge import judged_on, log_probabilities, loss_of, original
from core.rooms.fewer_bits.compute.outlier import BITS, TIMES, WAYS, multiplied, round_activations, with_outlier
from core.rooms.fewer_bits.compute.quantise import quantise
from core.rooms.fewer_bits.inputs import Text
from core.rooms.fewer_bits.levels_widget import Before, count, levels

WHATS = {"weights": "the weights, in 4 bits", "flow": "the activations, in 8 bits"}
LABELS = {"weights": "Weights of the values, layer 0", "flow": "Mixed values, layer 0"}
CODE = (outlier.multiplied, quantise, round_activations, outlier.stands_out)


class Inputs(Text, prefix="outlier_"):
    """How large the outlier is, and what is rounded."""

    times: int = segmented("One channel, times", {one: str(one) for one in TIMES}, 16)
    what: str = segmented("Round", WHATS, "weights")


@dataclass(frozen=True)
class Result:
    """A model with an outlier.

    Attributes:
        before: the loss without rounding, nats per token; with any outlier it is the same.
        moved: the largest change of a log-probability by the outlier alone.
        losses: way of rounding -> a loss for each of `TIMES`.
        zeros: way of rounding -> share of the rounded numbers that became 0, in layer 0, with this outlier.
    """

    before: float
    moved: float
    losses: dict[str, tuple[float, ...]]
    zeros: dict[str, float]
    times: int
    what: str

    @property
    def ways(self) -> dict[str, str]:
        return WAYS[self.what]

    @property
    def here(self) -> dict[str, float]:
        """The loss of each way with this outlier."""
        return {way: losses[TIMES.index(self.times)] for way, losses in self.losses.items()}

    @property
    def shared(self) -> float:
        """The loss with one scale for everything."""
        return next(iter(self.here.values()))

    def table(self) -> dict[str, Any]:
        """One line for each size of the outlier."""
        return {"times": [*TIMES], **{self.ways[way]: [*losses] for way, losses in self.losses.items()}}


def compute(inputs: Inputs) -> Result:
    """The loss by the size of the outlier, for each way of sharing scales."""
    key, ids_key, what = inputs.given.key, inputs.given.encoded.ids_key, inputs.what
    windows, model = judged_on(key, ids_key), load(key).model
    before = torch.tensor(original(key, ids_key))
    moved = (log_probabilities(model, windows, multiplied(model, inputs.times)) - before).abs().max()
    found = {way: [with_outlier(key, ids_key, times, what, way) for times in TIMES] for way in WAYS[what]}
    at = TIMES.index(inputs.times)
    return Result(
        before=loss_of(before, windows),
        moved=float(moved),
        losses={way: tuple(one.loss for one in some) for way, some in found.items()},
        zeros={way: some[at].zeros for way, some in found.items()},
        times=inputs.times,
        what=what,
    )


@memoize(MAX_FIGURES)
def _shown(key: ModelKey, ids_key: str, times: int, what: str) -> Before:
    """What is rounded in layer 0, before and after, with one scale for all of it."""
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


def draw(result: Result, inputs: Inputs) -> None:
    """What is rounded with one scale; and the loss by the size of the outlier."""
    given, what = inputs.given, inputs.what
    left, right = ui.pair("outlier")
    with left:
        levels(
            _shown(given.key, given.encoded.ids_key, inputs.times, what),
            names=("before", f"{BITS[what]} bits, one scale"),
            key=f"outlier.{given.content}",
            label=LABELS[what],
        )
    with right:
        spec = lines(
            [Curve(name, TIMES, result.losses[way]) for way, name in result.ways.items()],
            x_title="the channel, times",
            y_title=ui.measured("loss", "nats per token"),
            mode=ui.color_mode(),
            height=240,
            marked=inputs.times,
            decades=TIMES,
        )
        ui.chart(spec, alt=ui.words("by-times"))
    ui.say("here")
    ui.say("zeros")
    ui.say("exact")
    ui.say("real")
