"""Minus infinity before the softmax, zero before, zero after, zero after and renormalised: two are right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.cache import content_key
from core.inputs import NothingToShow
from core.inspect.reading.model_and_text import read
from core.inspect.tap_lines import line_of
from core.rooms.masks.inputs import Head

LETTERS = "ABCD"
NAMES = ("minus infinity before softmax", "0 before softmax", "0 after softmax", "0 after, divided by the sum")


class Inputs(Head):
    """A head."""


def minus_infinity_before(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Right: a blocked score is minus infinity, and e to the minus infinity is 0.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def zero_before(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Wrong: a score of 0 is not "nothing", for e to the 0 is 1. The blocked keys keep a share."""
    return scores.masked_fill(~mask, 0).softmax(-1)


def zero_after(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Wrong: the rows do not sum to 1 any more, and what is missing depends on the blocked keys."""
    return scores.softmax(-1).masked_fill(~mask, 0)


def zero_after_renormalised(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Right again: dividing each row by its sum takes the blocked keys out of the denominator."""
    weights = zero_after(scores, mask)
    return weights / weights.sum(-1, keepdim=True)


WAYS = (minus_infinity_before, zero_before, zero_after, zero_after_renormalised)


@dataclass(frozen=True)
class FourWays:
    """The same scores and mask, masked in four ways: −∞ before, 0 before, 0 after, 0 after and renormalised.

    Args:
        swayed: (4,) by how much the weights on open keys change, at most, when the blocked scores change their
            sign: nothing, if a row really knows nothing of what it may not read.
    """

    scores: NDArray[np.floating]  # scores, mask: (T, S) of the head
    mask: NDArray[np.bool_]
    tokens: tuple[str, ...]  # (T,)
    weights: NDArray[np.float32]  # (4, T, S)
    row_sums: NDArray[np.float32]  # (4, T) what each row sums to
    leaks: NDArray[np.float32]  # (4, T) how much weight a row leaves on blocked keys
    swayed: NDArray[np.float32]
    difference: float  # largest difference between the first way and the last one
    difference_64: float  # the same, computed with 64-bit numbers

    @property
    def formula(self) -> str:
        """Row 0, which may read itself alone: what zero before the softmax makes of it."""
        own, n_key = float(self.scores[0, 0]), self.scores.shape[1]
        return (
            rf"\text{{row 0: A}}\;\frac{{e^{{{own:.2f}}}}}{{e^{{{own:.2f}}} + {n_key - 1}\,e^{{-\infty}}}}"
            rf" = {self.weights[0, 0, 0]:.3f}\qquad \text{{B}}\;"
            rf"\frac{{e^{{{own:.2f}}}}}{{e^{{{own:.2f}}} + {n_key - 1}\,e^{{0}}}} = {self.weights[1, 0, 0]:.3f},"
            rf"\ \text{{so}}\ {self.leaks[1, 0]:.3f}\ \text{{goes to the future}}"
        )

    def table(self) -> dict[str, list[Any]]:
        """One line for each row of attention: its sum and what it leaves on blocked keys, way by way (A to D)."""
        table: dict[str, list[Any]] = {"query": list(range(len(self.tokens))), "token": list(self.tokens)}
        for letter, sums, leaks in zip("ABCD", self.row_sums, self.leaks, strict=True):
            table |= {f"row sum {letter}": sums.tolist(), f"on the future {letter}": leaks.tolist()}
        return table


def four_ways(scores: NDArray[np.floating], mask: NDArray[np.bool_], tokens: Sequence[str] = ()) -> FourWays:
    """Mask the scores of one head in four ways.

    Args:
        scores: (T, S) before the mask.
        mask: (T, S) True where query t may attend to key s; each row may attend something.

    Raises:
        ValueError: if the shapes differ, or a row may attend nothing (three of the four ways divide by 0 there).
    """
    if scores.shape != mask.shape:
        raise ValueError(f"scores {scores.shape} do not match the mask {mask.shape}")
    if not mask.any(-1).all():
        raise ValueError("a row that may attend nothing has no such weights")
    s, m = torch.from_numpy(scores.astype(np.float32)), torch.from_numpy(mask.copy())
    weights = torch.stack([way(s, m) for way in WAYS])  # (4, T, S)
    turned = torch.where(m, s, -s)
    swayed = torch.stack([(way(s, m) - way(turned, m)).masked_fill(~m, 0).abs().max() for way in WAYS])  # (4,)
    exact = [way(s.double(), m) for way in (WAYS[0], WAYS[3])]
    return FourWays(
        scores=scores,
        mask=mask,
        tokens=tuple(tokens),
        weights=weights.numpy(),
        row_sums=weights.sum(-1).numpy(),
        leaks=weights.masked_fill(m, 0).sum(-1).numpy(),
        swayed=swayed.numpy(),
        difference=float((weights[0] - weights[3]).abs().max()),
        difference_64=float((exact[0] - exact[1]).abs().max()),
    )


def leaks_of_all_heads(text: str) -> NDArray[np.float32]:
    """(heads,) what each first row in the stories model gives to later tokens with zero before the softmax."""
    record = read("stories", text).attention
    return np.array([four_ways(scores, record.mask).leaks[1, 0] for layer in record.scores for scores in layer])


CODE = (*WAYS, four_ways)


def compute(inputs: Inputs) -> FourWays:
    """The scores of one head under the model's own mask, masked in four ways."""
    record = inputs.given.attention
    if inputs.given.n_token == 1:
        raise NothingToShow("A single token has nothing to mask. Type a longer text.")
    if record.mask.all():
        raise NothingToShow(
            "This model reads in both directions and masks nothing. Choose a decoder (GPT) to see this exhibit at work."
        )
    return four_ways(record.scores[inputs.layer, inputs.head], record.mask, inputs.given.tokens)


def draw(result: FourWays, inputs: Inputs) -> None:
    """Four matrices, their row sums and leaks."""
    tokens, content = result.tokens, content_key(*result.tokens)[:12]
    ui.st.markdown(_table(result))
    ui.say("columns")
    pairs = [place for name in ("places-top", "places-bottom") for place in ui.pair(name)]
    for way, (place, name) in enumerate(zip(pairs, NAMES, strict=True)):
        with place:
            ui.matrix(
                result.weights[way],
                rows=tokens,
                columns=tokens,
                key=f"places.{LETTERS[way]}:{content}",
                height=340,
                mask=result.mask | (result.weights[way] > 0),
                label=f"{LETTERS[way]} · {name}",
                badge=_badge(inputs, result, way),
            )
    ui.say("difference" if ui.at_least("numbers") else "rounding")
    for place, key, values, label in zip(
        ui.pair("places-sums"),
        ("sums", "leaks"),
        (result.row_sums, result.leaks),
        ("Sum of each row: should be 1", "Weight on the future: should be 0"),
        strict=True,
    ):
        with place:
            ui.matrix(
                values.T,
                rows=tokens,
                columns=tuple(LETTERS),
                key=f"places.{key}:{content}",
                column_title="way",
                value_title=label.split(":")[0].lower(),
                limits=(0, 1),
                height=440,
                label=label,
            )


def _badge(inputs: Inputs, result: FourWays, way: int) -> "ui.Badge":
    """The scores are the model's own, and a second pass knows them; what is masked where is done with them here."""
    name, head = f"blocks.{inputs.layer}.attn.scores", inputs.head
    made = ui.badges.Derived(
        line_of(WAYS[way], "return"),
        lambda taps: four_ways(taps[name][head], result.mask).weights.astype(np.float64),
        option=f"{inputs.layer}.{head}",
    )
    given = inputs.given
    at = (given.key, given.encoded.packed)
    return ui.badges.of_key(*at, "four_ways", (way, "row", "column"), result.weights, derived=made)


def _table(found: FourWays) -> str:
    lines = ["| | row sums | leak | swayed |", "|---|---|---|---|"]
    for letter, name, sums, leaks, swayed in zip(
        LETTERS, NAMES, found.row_sums, found.leaks, map(float, found.swayed), strict=True
    ):
        is_one, leak = bool(np.allclose(sums, 1, atol=1e-4)), float(leaks.max())
        lines.append(
            f"| **{letter}** {name} | {'1' if is_one else f'**{sums.min():.3f} to {sums.max():.3f}**'} "
            f"| {'0' if leak == 0 else f'**{leak:.3f}**'} | {_size(swayed)} |"
        )
    return "\n".join(lines)


def _size(swayed: float) -> str:
    if swayed == 0 or swayed >= 1e-5:
        return f"**{swayed:.3f}**" if swayed else "0"
    return ui.power_of_ten(swayed) if ui.at_least("numbers") else "rounding"
