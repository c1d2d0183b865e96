"""The units of a feed-forward layer: those that are active for one token, and their share for each token."""

from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NothingToShow, Result, Table
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.models.registry import modern_options_of_model
from core.nn.feed_forward import FeedForward
from core.nn.linear import HALF_DTYPES
from core.rooms.block.compute import moments, residual_stream
from core.rooms.block.inputs import BlockTokenInputs

LABELS = module_labels(__name__)
MAX_DOTS = 4_096  # more dots cannot be distinguished


class Inputs(BlockTokenInputs):
    """A token in a block."""


class ActiveUnits(Result):
    """The active units of a feed-forward layer.

    A unit counts as active if its number before the nonlinearity is above 0. There every nonlinearity that we have
    passes it on almost or completely, and below 0 ReLU blocks it and GELU almost does.
    """

    pre: NDArray[np.float32]  # pre, act: (T, F) the numbers before and after the nonlinearity
    act: NDArray[np.float32]
    off_line: NDArray[
        np.float64
    ]  # (T,) the layer's distance from a linear one at each token, see `measure_nonlinearity`
    n_unit: int
    share: NDArray[np.float64]  # (T,) the share of active units for each token
    n_on: NDArray[np.int64]  # (T,) the number of active units for each token
    n_never: int  # units that are active for no token of the text
    token: int = 0  # the position shown

    def at(self, token: int) -> "ActiveUnits":
        """Return the same units for another token."""
        return replace(self, token=token)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {"pre": self.pre, "act": self.act, "share_on": self.share}

    def table(self) -> Table:
        """Return one row for each unit, with its values before and after the nonlinearity at the token."""
        return {
            LABELS["table.unit"]: list(range(self.n_unit)),
            LABELS["table.before"]: self.pre[self.token],
            LABELS["table.after"]: self.act[self.token],
            LABELS["table.share"]: (self.pre > 0).mean(0).round(4),
        }


def count_active_units(
    pre: NDArray[np.float32], act: NDArray[np.float32], off_line: NDArray[np.float64]
) -> ActiveUnits:
    """Count the active units."""
    is_on = pre > 0
    return ActiveUnits(
        pre=pre,
        act=act,
        off_line=off_line,
        n_unit=pre.shape[1],
        share=is_on.mean(-1),
        n_on=is_on.sum(-1),
        n_never=int((~is_on).all(0).sum()),
    )


@torch.no_grad()
def measure_nonlinearity(layer: nn.Module, a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return how far a layer is from being linear on two inputs, where 0 means that it is.

    A linear layer, with or without a bias, satisfies f(a + b) = f(a) + f(b) - f(0).

    Args:
        layer: takes (1, T, D).
        a: (T, D) the first inputs.
        b: (D,) the second input.

    Returns:
        (T,) the norm of the difference of both sides, divided by the norm of f(a + b); nan where that is 0.
    """
    weight = next(layer.parameters())
    dtype = torch.float32 if weight.dtype in HALF_DTYPES else weight.dtype
    x, y = (torch.tensor(np.atleast_2d(v)[None]).to(weight.device, dtype) for v in (a, b))
    together, apart = layer(x + y), layer(x) + layer(y) - layer(torch.zeros_like(y))
    share: NDArray[np.float64] = ((together - apart).norm(dim=-1) / together.norm(dim=-1))[0].double().cpu().numpy()
    return np.where(np.isfinite(share), share, np.nan)


def block_units(given: ModelAndText, layer: int) -> ActiveUnits:
    """Return the units of one block, with its layer's nonlinearity at each token.

    The nonlinearity is measured on the layer's inputs at each token and at the first token.
    """
    block, model = residual_stream.cached_block_record(given, layer), cast(Any, given.model)
    if block.read is None:
        raise NothingToShow(LABELS["no_feed_forward"])
    if block.pre is None or block.act is None:
        experts = modern_options_of_model(given.model).experts
        assert experts is not None
        which = "experts" if experts.d_shared is None else "experts_and_shared"
        raise NothingToShow(LABELS(which, n_expert=experts.n_expert, n_active=experts.n_active))
    return count_active_units(
        block.pre, block.act, measure_nonlinearity(model.blocks[layer].mlp, block.read, block.read[0])
    )


CODE = (FeedForward, block_units, count_active_units, measure_nonlinearity)


def compute(inputs: Inputs) -> ActiveUnits:
    """Return the units of one block at one token."""
    return block_units(inputs.given, inputs.layer).at(inputs.token)


def draw(result: ActiveUnits, inputs: Inputs) -> None:
    """Draw the units before and after the nonlinearity at one token, and the share of active units at every token."""
    given, token = inputs.given, ui.for_each_option(int, inputs.token)
    layers = ui.for_each_option(partial(block_units, given), inputs.layer)
    share, here = ui.map_choices(lambda one: one.share, layers), ui.map_choices(ActiveUnits.at, layers, token)
    ui.add_template_values(
        activation=given.config.block.activation,
        n_on=ui.map_choices(lambda one: int(one.n_on[one.token]), here),
        here=ui.map_choices(lambda one: one.share[one.token], here),
        mean=ui.map_choices(np.mean, share),
        never=ui.map_choices(lambda one: ui.section_text("never", n_never=one.n_never), layers),
        token=token,
        off_line=ui.map_choices(lambda one: one.off_line[one.token], here),
    )
    ui.mount_widget(
        "units",
        key=f"units.{inputs.content}",
        before=ui.pad_stack(ui.map_choices(lambda one: one.pre[one.token, :MAX_DOTS], here)),
        after=ui.pad_stack(ui.map_choices(lambda one: one.act[one.token, :MAX_DOTS], here)),
        bars=ui.map_choices(_bars, here),
        label=ui.for_each_option(lambda layer, at: LABELS("units", layer=layer, token=at), inputs.layer, inputs.token),
        takeaway=ui.map_choices(_takeaway, here),
    )
    ui.token_row(
        given.tokens,
        key=f"units.text.{inputs.content}",
        values=ui.pad_stack(share),
        limits=(0.0, 1.0),
        value_title=LABELS["share_on"],
        selected=ui.choice_ref(inputs.token),
        title=ui.for_each_option(lambda layer: LABELS("how_many", layer=layer), inputs.layer),
        takeaway=ui.map_choices(
            lambda layer, share: LABELS("most_units", token=share.argmax(), layer=layer, share=share.max()),
            ui.for_each_option(int, inputs.layer),
            share,
        ),
    )


def _bars(one: ActiveUnits) -> dict[str, object]:
    """Return the histogram of the units before the nonlinearity."""
    bins = moments.histogram(one.pre[one.token])
    return {"low": float(bins.edges[0]), "high": float(bins.edges[-1]), "counts": bins.counts.tolist()}


def _takeaway(one: ActiveUnits) -> str:
    return LABELS("takeaway", n_unit=one.n_unit, n_on=one.n_on[one.token], most=one.act[one.token].max())
