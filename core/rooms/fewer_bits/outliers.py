"""One channel made many times larger, in a model whose output doesn't change, and its effect on a shared scale.

Attention mixes values, and its output layer reads the mixture; both are linear. So a channel of the values may be
multiplied by any number if the weights that read it are divided by the same number. A power of two causes no rounding,
so the output stays the same to the last bit.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, MAX_TRACES, Result, Table, memoize, segmented_control
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.registry import with_weights
from core.nn.block import Block
from core.nn.tap import Edit, Trace
from core.rooms.fewer_bits.compute.evaluation import (
    evaluation_ids,
    log_probabilities,
    loss_from_log_probs,
    original_log_probs,
)
from core.rooms.fewer_bits.compute.quantize import quantize
from core.rooms.fewer_bits.inputs import PromptInputs, WeightHistograms, bin_weights, draw_histograms

LABELS = module_labels(__name__)

OUTLIER_FACTORS = (1, 2, 4, 8, 16, 32, 64, 128)
ROUNDED_BITS = {"weights": 4, "flow": 8}
SCALE_METHODS = {
    "weights": {"matrix": LABELS["way.matrix"], "row": LABELS["way.row"], "group": LABELS["way.group"]},
    "flow": {"all": LABELS["way.all"], "token": LABELS["way.token"], "apart": LABELS["way.apart"]},
}
CHANNEL = 0  # of the first head of values, in every layer
OUTLIER_RATIO = 6  # times the median channel; the shipped models' own largest channels are below this


class RoundingEffect(NamedTuple):
    """The effect of one rounding."""

    loss: float  # nats per token
    zeros: float  # fraction of the rounded numbers that became 0, in the first layer


def add_outlier(model: nn.Module, times: float) -> dict[str, Tensor]:
    """Multiply a channel of the values in each layer, divide the weights that read it, and return the changed weights.

    The model's output with these weights is the same as before.

    Source: the equivalence by which SmoothQuant (Xiao et al. 2022, 2211.10438, section 4) removes outliers from the
    activations; here it adds one.
    """
    found: dict[str, Tensor] = {}
    blocks = cast(Sequence[Block], model.blocks)
    for layer, block in enumerate(blocks):
        attn, place = block.attn, f"blocks.{layer}.attn"
        readers = [head * attn.d_head + CHANNEL for head in range(attn.n_head // attn.n_kv_head)]
        found[f"{place}.w_v.weight"] = _scaled(attn.w_v.weight, (CHANNEL,), times)
        if attn.w_v.bias is not None:
            found[f"{place}.w_v.bias"] = _scaled(attn.w_v.bias, (CHANNEL,), times)
        found[f"{place}.w_o.weight"] = _scaled(attn.w_o.weight, (slice(None), readers), 1 / times)
    return found


def _scaled(weight: Tensor, place: tuple[Any, ...], factor: float) -> Tensor:
    scaled = weight.detach().float().clone()
    scaled[place] *= factor
    return scaled


def find_outliers(x: Float[Tensor, "B T C"]) -> Bool[Tensor, " C"]:
    """Return True for channels whose largest number is at least `OUTLIER_RATIO` times the median channel's."""
    largest = x.abs().flatten(0, -2).amax(0)
    return largest >= OUTLIER_RATIO * largest.median()


def round_activations(x: Float[Tensor, "B T C"], bits: int, way: str) -> Float[Tensor, "B T C"]:
    """Round activations to whole multiples of a scale, which is set by the largest (absmax).

    Args:
        way: "all": all tokens share a scale; "token": one scale per token; "apart": one per token, but outlier channels
            are not rounded, and the scale is set by the other channels.

    Source: Dettmers et al. 2022 (2208.07339): a scale for each row, section 3.1; outliers kept in 16 bits, section 3.2.
    """
    most = 2 ** (bits - 1) - 1
    is_kept = find_outliers(x) if way == "apart" else torch.zeros(x.shape[-1], dtype=torch.bool)
    rest = x.masked_fill(is_kept, 0.0)
    largest = rest.abs().amax() if way == "all" else rest.abs().amax(-1, keepdim=True)
    scale = (largest / most).clamp(min=1e-30)
    return torch.where(is_kept, x, (rest / scale).round() * scale)


@memoize(4 * MAX_TRACES)
def evaluate_outlier(key: ModelKey, ids_key: str, times: int, what: str, way: str) -> RoundingEffect:
    """Evaluate a model with an outlier, whose value weights or whose mixed values are rounded.

    Args:
        ids_key: the text's ids, used if there is no held-out text.
        times: the size of the outlier.
        what, way: see `SCALE_METHODS`.
    """
    windows, model = evaluation_ids(key, ids_key), load_text_model(key).model
    weights, zeros, edits = add_outlier(model, times), list[float](), dict[str, Edit]()

    def edit(heads: Float[Tensor, "B H T K"]) -> Tensor:
        x = round_activations(heads.transpose(1, 2).flatten(2), ROUNDED_BITS["flow"], way)  # (B, T, C)
        zeros.append(float((x == 0).float().mean()))
        return x.unflatten(2, (heads.shape[1], -1)).transpose(1, 2)

    if what == "flow":
        n_layer = sum(name.endswith("w_v.weight") for name in weights)
        edits = {f"blocks.{layer}.attn.heads": edit for layer in range(n_layer)}
    else:
        for name in [one for one in weights if one.endswith("w_v.weight")]:
            weights[name] = quantize(weights[name], ROUNDED_BITS["weights"], way).restored
            zeros.append(float((weights[name] == 0).float().mean()))
    changed = with_weights(model, weights)
    with Trace(changed, edits):
        loss = loss_from_log_probs(log_probabilities(changed, windows), windows)
    return RoundingEffect(loss, zeros[0])


HISTOGRAM_LABELS = {"weights": LABELS["histogram.weights"], "flow": LABELS["histogram.flow"]}
CODE = (add_outlier, quantize, round_activations, find_outliers)


class Inputs(PromptInputs, prefix="outlier_"):
    times: int = segmented_control({one: str(one) for one in OUTLIER_FACTORS}, 16)
    what: str = segmented_control(tuple(ROUNDED_BITS), "weights")


class OutlierEffect(Result):
    """A model with an outlier."""

    before: float  # the loss without rounding, nats per token; the same with any outlier
    moved: float  # the largest change of a log-probability caused by the outlier alone
    ways: dict[str, str]  # ways of sharing scales, and their names
    losses: dict[str, tuple[float, ...]]  # way -> the loss for each of `OUTLIER_FACTORS`
    here: dict[str, float]  # way -> the loss with this outlier
    shared: float  # the loss with this outlier and a single scale
    zeros: dict[str, float]  # way -> the fraction of the rounded numbers that became 0, in layer 0

    def table(self) -> Table:
        """Return one row per size of the outlier."""
        return {
            LABELS["times_column"]: [*OUTLIER_FACTORS],
            **{self.ways[way]: [*losses] for way, losses in self.losses.items()},
        }


def compute(inputs: Inputs) -> OutlierEffect:
    """Compute the loss by the size of the outlier, for each way of sharing scales."""
    key, ids_key, what = inputs.given.key, inputs.given.encoded.ids_key, inputs.what
    windows, model = evaluation_ids(key, ids_key), load_text_model(key).model
    before = torch.tensor(original_log_probs(key, ids_key))
    moved = (log_probabilities(with_weights(model, add_outlier(model, inputs.times)), windows) - before).abs().max()
    found = {
        way: [evaluate_outlier(key, ids_key, times, what, way) for times in OUTLIER_FACTORS]
        for way in SCALE_METHODS[what]
    }
    here = {way: some[OUTLIER_FACTORS.index(inputs.times)] for way, some in found.items()}
    return OutlierEffect(
        before=loss_from_log_probs(before, windows),
        moved=float(moved),
        ways=SCALE_METHODS[what],
        losses={way: tuple(one.loss for one in some) for way, some in found.items()},
        here={way: one.loss for way, one in here.items()},
        shared=next(iter(here.values())).loss,
        zeros={way: one.zeros for way, one in here.items()},
    )


@memoize(MAX_FIGURES)
def _histograms(key: ModelKey, ids_key: str, times: int, what: str) -> WeightHistograms:
    """Return histograms of the numbers that are rounded in layer 0, before and after, with a single scale."""
    model = load_text_model(key).model
    weights = add_outlier(model, times)
    if what == "weights":
        weight = weights["blocks.0.attn.w_v.weight"]
        return bin_weights(weight, quantize(weight, ROUNDED_BITS[what], "matrix").restored)
    changed = with_weights(model, weights)
    with Trace(changed) as trace:
        log_probabilities(changed, evaluation_ids(key, ids_key))
    x = trace["blocks.0.attn.heads"].transpose(1, 2).flatten(2)  # (B, T, C)
    return bin_weights(x, round_activations(x, ROUNDED_BITS[what], "all"))


def warm_up() -> None:
    """Put an outlier into the default model once, so that the first visitor doesn't wait a second for it."""
    compute(Inputs())


def draw(result: OutlierEffect, inputs: Inputs) -> None:
    """Draw the numbers that are rounded with one scale, and the loss by the size of the outlier."""
    given, what = inputs.given, inputs.what
    left, right = ui.two_columns("outlier")
    with left:
        draw_histograms(
            _histograms(given.key, given.encoded.ids_key, inputs.times, what),
            names=(LABELS["before"], LABELS("one_scale", n=ROUNDED_BITS[what])),
            key=f"outlier.{given.content}",
            label=HISTOGRAM_LABELS[what],
        )
    with right:
        ui.curves(
            {name: (OUTLIER_FACTORS, result.losses[way]) for way, name in result.ways.items()},
            x=ui.Axis(
                LABELS["channel_times"], (OUTLIER_FACTORS[0], OUTLIER_FACTORS[-1]), is_log=True, ticks=OUTLIER_FACTORS
            ),
            y=ui.quantity_label(LABELS["loss"], LABELS["nats_per_token"]),
            at=inputs.times,
            height=240,
        )
