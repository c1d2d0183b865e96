"""The units of a feed-forward layer: which are on for a token, and for each token of the text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.inputs import NothingToShow
from core.nn.feed_forward import FeedForward
from core.rooms.block.compute import moments, residual_stream
from core.rooms.block.inputs import TEXT, Place
from core.rooms.block.units_chart import histogram, units_on_their_bend

MOST_DOTS = 4_096  # more dots cannot be told apart


class Inputs(Place):
    """A token in a block."""


@dataclass(frozen=True)
class Units:
    """Which of a feed-forward layer's units are on.

    A unit is on where its number before the nonlinearity is above 0: there every nonlinearity that we have lets it
    through nearly or wholly, and below 0 ReLU stops it and GELU nearly.
    """

    pre: NDArray[np.float32]  # pre, act: (T, F) the numbers before and after the nonlinearity
    act: NDArray[np.float32]
    token: int = 0  # the place that is looked at
    off_line: float = 0.0  # how far the layer is from a linear one, see `nonlinearity`

    @property
    def share(self) -> NDArray[np.float64]:
        """(T,) share of the units that are on, for each token."""
        share: NDArray[np.float64] = (self.pre > 0).mean(-1)
        return share

    @property
    def n_unit(self) -> int:
        return self.pre.shape[1]

    @property
    def n_on(self) -> int:
        """Units that are on at the token."""
        return int((self.pre[self.token] > 0).sum())

    @property
    def n_never(self) -> int:
        """Units that are on for no token of the text."""
        return int((self.pre <= 0).all(0).sum())

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"pre": self.pre, "act": self.act, "share_on": self.share}

    def table(self) -> dict[str, Any]:
        """One line for each unit: before and after the nonlinearity at the token."""
        return {
            "unit": list(range(self.n_unit)),
            "before": self.pre[self.token],
            "after": self.act[self.token],
            "share of tokens where it is on": (self.pre > 0).mean(0).round(4),
        }


@torch.no_grad()
def nonlinearity(layer: nn.Module, a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    """How far a layer is from being one linear layer, on two inputs: 0 if it is one.

    A linear layer, with or without a bias, gives f(a + b) = f(a) + f(b) - f(0).

    Args:
        layer: takes (1, 1, D).
        a, b: (D,) two inputs.

    Returns:
        The length of the difference of both sides, as a share of the length of f(a + b); nan where that is 0.
    """
    weight = next(layer.parameters())
    x, y = (torch.from_numpy(np.array(v))[None, None].to(weight.device, weight.dtype) for v in (a, b))
    together, apart = layer(x + y), layer(x) + layer(y) - layer(torch.zeros_like(x))
    size = float(together.norm())
    return float((together - apart).norm()) / size if size > 0 else float("nan")


CODE = (FeedForward, Units, nonlinearity)


def compute(inputs: Inputs) -> Units:
    """The units of one block, and how far the layer is from linear on what it reads at this token and at the first."""
    block = residual_stream.block_of(inputs.given, inputs.layer)
    if block.pre is None or block.act is None:
        raise NothingToShow("This model's blocks have no feed-forward part, only attention. Choose another model.")
    read = block.stage("normed for feed-forward" if block.norm_first else "stream after attention")
    model: Any = inputs.given.model
    off_line = nonlinearity(model.blocks[inputs.layer].mlp, read[inputs.token], read[0])
    return Units(block.pre, block.act, inputs.token, off_line)


def draw(result: Units, inputs: Inputs) -> None:
    """Before and after the nonlinearity at one token; the share of units that are on at every token."""
    if ui.picks.has_news(TEXT, inputs.content):
        ui.st.rerun()  # the sliders above follow the click
    pre, act, share = result.pre[inputs.token], result.act[inputs.token], result.share
    ui.say("on", activation=inputs.given.config.block.activation)
    left, right = ui.pair("units")
    with left:
        ui.st.markdown("**Before the nonlinearity**")
        ui.chart(
            histogram(moments.histogram(pre), title="before the nonlinearity", mode=ui.color_mode(), height=220),
            alt=f"{result.n_on} of {result.n_unit} numbers are above 0.",
        )
    with right:
        ui.st.markdown("**Each unit, before and after**")
        ui.chart(
            units_on_their_bend(pre[:MOST_DOTS], act[:MOST_DOTS], mode=ui.color_mode(), height=220),
            alt=f"{result.n_unit} units; {result.n_on} are on, the largest after the nonlinearity is {act.max():.2f}.",
        )
    most = int(share.argmax())
    ui.token_row(
        inputs.given.tokens,
        key=ui.picks.key(TEXT, inputs.content, inputs.token),
        values=share,
        limits=(0.0, 1.0),
        value_title="share of units on",
        selected=inputs.token,
        title=f"How many units of layer {inputs.layer} each token switches on",
        takeaway=f"Token {most} switches on most units of layer {inputs.layer}: {share[most]:.0%}.",
    )
    ui.say("linear")
