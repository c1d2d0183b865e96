"""Padding behind a text: what it does to a net that reads from both ends."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.exhibit import NothingToShow, Result, content_key, slider
from core.inspect.reading.model_and_text import PADDING, pad_id, room_for_padding
from core.inspect.trace import as_batch, to_numpy
from core.nn.recurrent import unroll
from core.rooms.recurrent.both_ends import both_ways
from core.rooms.recurrent.inputs import Looked

MOST_PADDING = 20


class Padded(Result):
    """The change that padding behind a text makes, against the text alone: the largest one of any number."""

    # (T,) of the forward and the backward state at each token, without a mask, and with one that keeps the state as it
    # is at padding
    ahead: NDArray[np.floating]
    back: NDArray[np.floating]
    ahead_masked: NDArray[np.floating]
    back_masked: NDArray[np.floating]
    end: float  # end, end_masked: of the forward state in the last column, against the one at the text's own last token
    end_masked: float
    tokens: tuple[str, ...]

    def table(self) -> dict[str, list[Any]]:
        """One line for each token of the text."""
        return {
            "token": list(self.tokens),
            "forward": self.ahead.tolist(),
            "backward": self.back.tolist(),
            "masked_forward": self.ahead_masked.tolist(),
            "masked_backward": self.back_masked.tolist(),
        }


def padded(model: nn.Module, ids: Sequence[int], n_pad: int, pad_id: int, tokens: Sequence[str] = ()) -> Padded:
    """Put padding behind a text, and compare the states at its tokens with those of the text alone.

    Raises:
        ValueError: if there are no tokens, or some that the model does not know.
    """
    text = as_batch(model, ids)
    n_token = text.shape[1]
    longer = torch.cat([text, text.new_full((1, n_pad), pad_id)], 1)
    mask = torch.arange(n_token + n_pad, device=text.device)[None] < n_token
    alone = both_ways(model, text)
    found: list[NDArray[np.floating]] = []
    ends = []
    for hidden_padding in (None, mask):
        ahead, back = both_ways(model, longer, hidden_padding)
        for states, own in zip((ahead, back), alone, strict=True):
            found.append(to_numpy((states[0, :n_token] - own[0]).abs().amax(-1)))
        ends.append(float((ahead[0, -1] - alone[0][0, -1]).abs().max()))
    names = ("ahead", "back", "ahead_masked", "back_masked")
    return Padded(end=ends[0], end_masked=ends[1], tokens=tuple(tokens), **dict(zip(names, found, strict=True)))


CODE = (unroll, padded)


class Inputs(Looked, prefix="pad_"):
    more: int = slider(
        f"Tokens of padding ({PADDING})",
        0,
        lambda i: room_for_padding(i.given.key, i.given.n_token, MOST_PADDING),
        5,
        when=lambda i: room_for_padding(i.given.key, i.given.n_token, MOST_PADDING) > 0,
    )


def compute(inputs: Inputs) -> Padded:
    """The change that padding behind the text makes."""
    given = inputs.given
    if not room_for_padding(given.key, given.n_token, MOST_PADDING):
        raise NothingToShow("The text fills the model's whole context. Shorten it to make room for padding.")
    return padded(given.model, given.ids, inputs.more, pad_id(given.key), given.tokens)


def draw(result: Padded, inputs: Inputs) -> None:
    """The changes at each word, and at the end of the line."""
    ahead, back, ahead_masked, back_masked = values = [
        row.tolist() for row in (result.ahead, result.back, result.ahead_masked, result.back_masked)
    ]
    largest = max(map(max, values))
    ui.matrix(
        values,
        rows=["a", "b", "a+mask", "b+mask"],  # more would be cut off on a phone
        columns=result.tokens,
        key=f"pad:{content_key(str(inputs.given.key), inputs.given.encoded.ids_key)[:12]}",
        kind="value",
        limits=(0.0, largest or 1.0),
        row_title="states",
        column_title="state after",
        value_title="change",
        height=200,
        label=f"How much {inputs.more} tokens of padding after the text change each state",
        takeaway=f"How much padding changes each state; at most {largest:.2f}.",
    )
    changes = (
        ("a (forward), after the last word", ahead[-1], ahead_masked[-1]),
        ("a (forward), at the end of the padded line", result.end, result.end_masked),
        ("b (backward), after the last word", back[-1], back_masked[-1]),
        ("b (backward), after the first word", back[0], back_masked[0]),
    )
    ui.facts(changes=[(name, _size(bare), _size(masked)) for name, bare, masked in changes])


def _size(change: float) -> str:
    if change == 0 or change > 1e-4:
        return f"**{change:.3f}**" if change else "exactly 0"
    return f"{ui.power_of_ten(change)}: rounding" if ui.at_least("numbers") else "only rounding"
