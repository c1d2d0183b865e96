"""Four places for a mask, only two of them right: what each does to the rows of attention, measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor

from core.nn.attention import masked_softmax

NUMBERS = ("−1e9", "the lowest finite number", "−∞")


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


@dataclass(frozen=True)
class FourWays:
    """The same scores and mask, masked in four ways: −∞ before, 0 before, 0 after, 0 after and renormalised.

    Args:
        weights: (4, T, S).
        row_sums: (4, T) what each row sums to.
        leaks: (4, T) how much weight a row leaves on blocked keys.
        swayed: (4,) by how much the weights on open keys change, at most, when the blocked scores change their sign:
            nothing, if a row really knows nothing of what it may not read.
        difference: largest difference between the first way and the last one.
        difference_64: the same, computed with 64-bit numbers.
    """

    weights: NDArray[np.float32]
    row_sums: NDArray[np.float32]
    leaks: NDArray[np.float32]
    swayed: NDArray[np.float32]
    difference: float
    difference_64: float

    def table(self, tokens: Sequence[str]) -> dict[str, list[Any]]:
        """One line for each row of attention: its sum and what it leaves on blocked keys, way by way (A to D)."""
        table: dict[str, list[Any]] = {"query": list(range(len(tokens))), "token": list(tokens)}
        for letter, sums, leaks in zip("ABCD", self.row_sums, self.leaks, strict=True):
            table |= {f"row sum {letter}": sums.tolist(), f"on the future {letter}": leaks.tolist()}
        return table


def four_ways(scores: NDArray[np.floating], mask: NDArray[np.bool_]) -> FourWays:
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
    ways = (minus_infinity_before, zero_before, zero_after, zero_after_renormalised)
    s, m = torch.from_numpy(scores.astype(np.float32)), torch.from_numpy(mask.copy())
    weights = torch.stack([way(s, m) for way in ways])  # (4, T, S)
    turned = torch.where(m, s, -s)
    swayed = torch.stack([(way(s, m) - way(turned, m)).masked_fill(~m, 0).abs().max() for way in ways])  # (4,)
    exact = [way(s.double(), m) for way in (ways[0], ways[3])]
    return FourWays(
        weights=weights.numpy(),
        row_sums=weights.sum(-1).numpy(),
        leaks=weights.masked_fill(m, 0).sum(-1).numpy(),
        swayed=swayed.numpy(),
        difference=float((weights[0] - weights[3]).abs().max()),
        difference_64=float((exact[0] - exact[1]).abs().max()),
    )


@dataclass(frozen=True)
class Lowest:
    """One number written for minus infinity, in one kind of floating-point number.

    Args:
        number: what the code says, one of `NUMBERS`, or "masked_softmax" for this app's own.
        kind: "float32", "bfloat16" or "float16".
        stored: what the machine keeps of it; nan where nothing is written.
        leak: weight left on blocked keys.
        empty_row: (S,) weights of a row that may attend nothing.
    """

    number: str
    kind: str
    stored: float
    leak: float
    empty_row: NDArray[np.float32]


def lowest_numbers(scores: NDArray[np.floating], mask: NDArray[np.bool_]) -> tuple[Lowest, ...]:
    """Add each candidate for minus infinity to the blocked scores of one row, in three kinds of numbers.

    Args:
        scores: (S,) one row before the mask.
        mask: (S,) True where it may attend; at least one key.

    Raises:
        ValueError: if the row may attend nothing: there is then no leak to measure.
    """
    if not mask.any():
        raise ValueError("the row may attend nothing")
    found = []
    m, nothing = torch.from_numpy(mask.copy()), torch.zeros(len(mask), dtype=torch.bool)
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        s = torch.from_numpy(scores.astype(np.float32)).to(kind)
        name = str(kind).removeprefix("torch.")
        for number, value in zip(NUMBERS, (-1e9, torch.finfo(kind).min, -torch.inf), strict=True):
            stored = torch.tensor(value).to(kind)  # −1e9 is out of float16's range: it becomes −∞
            zero = torch.zeros((), dtype=kind)
            weights, empty = ((s + torch.where(open_, zero, stored)).softmax(-1) for open_ in (m, nothing))
            found.append(Lowest(number, name, float(stored), _leak(weights, m), empty.float().numpy()))
        ours, none = masked_softmax(s[None], m[None])[0], masked_softmax(s[None], nothing[None])[0]
        found.append(Lowest("masked_softmax", name, float("nan"), _leak(ours, m), none.float().numpy()))
    return tuple(found)


def lowest_table(found: Sequence[Lowest]) -> dict[str, list[Any]]:
    """One line for each number in each kind."""
    return {
        "number": [one.number for one in found],
        "kind": [one.kind for one in found],
        "stored as": [one.stored for one in found],
        "weight on blocked keys": [one.leak for one in found],
        "empty row, first weight": [float(one.empty_row[0]) for one in found],
    }


def _leak(weights: Tensor, mask: Tensor) -> float:
    return float(weights.float().masked_fill(mask, 0).sum())
