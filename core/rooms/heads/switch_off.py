"""Heads switched off: what the model then expects to come next, and which heads this text needs at all."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.cache import MAX_TRACES, memoize
from core.charts.before_after import ranking
from core.inputs import NothingToShow, segmented, several, toggle
from core.inspect.reading.model_and_text import load, unpack, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.heads.compute import ablation
from core.rooms.heads.compute.ablation import Intervention
from core.rooms.heads.effect import draw_losses, draw_next
from core.rooms.heads.inputs import Predicted, why_no_effect

# Each head alone costs a pass of the model; more heads than this are measured when somebody asks for it.
AT_ONCE = 32
LARGE = 512  # numbers of a token's vector, from which a pass takes some tenths of a second
MOST_BARS = 24
CODE = (ablation.knock_out, ablation.intervene)


def _names(inputs: Any) -> list[str]:
    return [f"{layer}.{head}" for layer, head in np.ndindex(inputs.given.config.n_layer, inputs.given.config.n_head)]


def _wait(inputs: Any) -> str:
    wait = "some seconds" if inputs.given.config.d_model < LARGE else "a minute or two with a model of this size"
    return f"Measure all {len(_names(inputs))} heads, one after the other ({wait})"


class Inputs(Predicted):
    """Which heads, and whether the loss without each of many heads is measured too."""

    off: tuple[str, ...] = several(
        "Switch off (layer.head)", _names, help="1.2 is head 2 of layer 1. Press again to switch it back on."
    )
    instead: str = segmented("What it writes instead", {"zero": "nothing", "mean": "its mean"}, "zero")
    all: bool = toggle(
        _wait,
        lambda i: len(_names(i)) <= AT_ONCE,
        when=lambda i: len(_names(i)) > AT_ONCE and i.given.n_token > 1,
    )


@dataclass(frozen=True)
class Result:
    """A text with and without some heads; rises: (L, H) of its mean loss without each alone, where it is measured."""

    effect: Intervention
    vocabulary: tuple[str, ...]
    rises: NDArray[np.float64] | None

    @property
    def expected(self) -> str:
        """The token that the whole model finds likeliest next."""
        return self.vocabulary[self.effect.expected].strip()

    def table(self) -> dict[str, Any]:
        """The next token before and after."""
        before, after = (one[-1] for one in (self.effect.probabilities_before, self.effect.probabilities_after))
        return {"id": [*range(len(before))], "token": [*self.vocabulary], "before": before, "after": after}


@memoize(MAX_TRACES)
def loss_without_each(key: ModelKey, packed: str, mode: str) -> NDArray[np.float64]:
    """By how much the mean loss of the text rises when one head alone is switched off: (L, H), in nats per token."""
    return ablation.loss_without_each(load(key).model, unpack(packed), mode)


def compute(inputs: Inputs) -> Result:
    """The text twice, untouched and with these heads silenced: what is expected after it?"""
    given, mode = inputs.given, inputs.instead
    if why := why_no_effect(given):
        raise NothingToShow(why)
    heads = [(int(layer), int(head)) for layer, head in (name.split(".") for name in inputs.off)]
    is_measured = inputs.all and given.n_token > 1
    return Result(
        ablation.knock_out(given.model, given.ids, heads, mode, given.attention),
        vocabulary(given.key),
        loss_without_each(given.key, given.encoded.packed, mode) if is_measured else None,
    )


def draw(result: Result, inputs: Inputs) -> None:
    """Before and after for a set of heads, and the ranking of all heads."""
    after, ranked = ui.pair("knockout")
    with after:
        draw_next(result.effect, inputs, key="knockout", changed=bool(inputs.off))
    effect, rise = result.effect, result.effect.loss_change
    ui.say("loss", loss=effect.loss_after.mean, rise=rise if abs(rise) >= 5e-4 else 0.0, moved=effect.kl[-1])
    draw_losses(effect, inputs, key="knockout")
    if inputs.given.n_token < 2:
        ui.say("single")
    if result.rises is None:
        return
    rises, names = result.rises.ravel(), _names(inputs)
    order = np.argsort(-rises, kind="stable")[:MOST_BARS].tolist()
    best, worst = names[order[0]].split("."), float(rises[order[0]])
    ui.say("needed", best=best, n_idle=int((np.abs(rises) < 0.01).sum()), n_head=len(names))
    spec = ranking(
        [f"head {names[i]}{' (off)' if names[i] in inputs.off else ''}" for i in order],
        rises[order].tolist(),
        mode=ui.color_mode(),
        value_title=ui.measured("rise of the loss", "nats per token"),
        marked=[names[i] in inputs.off for i in order],
    )
    largest = f"largest {worst:.3f} for layer {best[0]}, head {best[1]}"
    with ranked:
        ui.write("**Each head off alone: how much worse?**")
        ui.chart(spec, alt=f"Bars: the rise of the loss without each head; {largest}.", key="knockout-ranking")
