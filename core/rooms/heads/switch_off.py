"""Heads switched off: what the model then expects to come next, and which heads this text needs at all."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import MAX_TRACES, Look, NothingToShow, memoize, segmented, several, toggle
from core.inspect.reading.model_and_text import load, parse_ids, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.heads.compute import ablation
from core.rooms.heads.compute.ablation import Intervention
from core.rooms.heads.effect import draw_losses, draw_next, parts
from core.rooms.heads.head_ranking_widget import head_ranking
from core.rooms.heads.inputs import Predicted, first_head, why_no_effect

# Each head alone costs a pass of the model; more heads than this are measured when somebody asks for it.
AT_ONCE = 32
LARGE = 512  # numbers of a token's vector, from which a pass takes some tenths of a second
MOST_BARS = 24
MODES = {"zero": "nothing", "mean": "its mean"}
CODE = (ablation.knock_out, ablation.intervene)


def _names(inputs: Any) -> list[str]:
    return [f"{layer}.{head}" for layer, head in np.ndindex(inputs.given.config.n_layer, inputs.given.config.n_head)]


def _wait(inputs: Any) -> str:
    wait = "some seconds" if inputs.given.config.d_model < LARGE else "a minute or two with a model of this size"
    return f"Measure all {len(_names(inputs))} heads, one after the other ({wait})"


class Inputs(Predicted):
    """Which heads, and whether the loss without each of many heads is measured too."""

    off: tuple[str, ...] = several(
        "Switch off (layer.head)",
        _names,
        lambda i: ("{}.{}".format(*first_head(i.given.key)),),
        help="1.2 is head 2 of layer 1. Press again to switch it back on.",
        look=Look(),
    )
    instead: str = segmented("What it writes instead", MODES, "zero", look=Look())
    all: bool = toggle(
        _wait,
        lambda i: len(_names(i)) <= AT_ONCE,
        when=lambda i: len(_names(i)) > AT_ONCE and i.given.n_token > 1,
    )


@dataclass(frozen=True)
class Result:
    """A text with and without some heads."""

    effect: Intervention
    vocabulary: tuple[str, ...]
    # (L, H) of its mean loss without each alone, by what that writes instead; of a large model only as it is asked for
    rises: dict[str, NDArray[np.float64]]

    @property
    def expected(self) -> str:
        """The token that the whole model finds likeliest next."""
        return self.vocabulary[self.effect.expected].strip()

    def table(self) -> dict[str, Any]:
        """The next token before and after."""
        before, after = (one[-1] for one in (self.effect.probabilities_before, self.effect.probabilities_after))
        return {"id": [*range(len(before))], "token": [*self.vocabulary], "before": before, "after": after}


@memoize(MAX_TRACES)
def loss_without_each(key: ModelKey, ids_key: str, mode: str) -> NDArray[np.float64]:
    """By how much the mean loss of the text rises when one head alone is switched off: (L, H), in nats per token."""
    return ablation.loss_without_each(load(key).model, parse_ids(ids_key), mode)


def compute(inputs: Inputs) -> Result:
    """The text twice, untouched and with these heads silenced: what is expected after it?"""
    given, mode = inputs.given, inputs.instead
    if why := why_no_effect(given):
        raise NothingToShow(why)
    heads = [(int(layer), int(head)) for layer, head in (name.split(".") for name in inputs.off)]
    is_measured = inputs.all and given.n_token > 1
    modes = (mode,) if given.config.d_model >= LARGE else MODES
    return Result(
        ablation.knock_out(given.model, given.ids, heads, mode, given.attention),
        vocabulary(given.key),
        {one: loss_without_each(given.key, given.encoded.ids_key, one) for one in modes} if is_measured else {},
    )


def draw(result: Result, inputs: Inputs) -> None:
    """Before and after for a set of heads, and the ranking of all heads."""
    given, off = inputs.given, ui.chosen("off")
    effect = ui.computed(
        "knock_out",
        None if len(result.rises) == 1 else ui.offer(given.key),
        parts(result.effect, inputs, changed=bool(inputs.off)),
        off=off,
        instead=ui.chosen("instead"),
        ids=[*map(int, given.ids)],
        vocabulary=result.vocabulary,
    )
    after, ranked = ui.pair("knockout")
    with after:
        draw_next(effect, key="knockout")
    ui.say("loss", loss=effect["loss"], rise=effect["rise"], moved=effect["moved"])
    draw_losses(effect, inputs, key="knockout")
    if given.n_token < 2:
        ui.say("single")
    if not result.rises:
        return
    names = _names(inputs)
    known = result.rises[inputs.instead]
    rises = ui.along([result.rises.get(one, known).ravel().tolist() for one in MODES], "instead")
    best = ui.over(lambda one: names[int(np.argmax(one))].split("."), rises)
    n_idle = ui.over(lambda one: int((np.abs(one) < 0.01).sum()), rises)
    layer, head = (ui.over(lambda one, at=at: one[at], best) for at in (0, 1))
    ui.say("needed", layer=layer, head=head, n_idle=n_idle, n_head=len(names))
    title = ui.measured("rise of the loss", "nats per token")
    with ranked:
        head_ranking(names, rises, off, most=MOST_BARS, value_title=title, key="knockout-ranking")
