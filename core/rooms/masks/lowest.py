"""Which number to write for minus infinity, and what becomes of a row that may read nothing."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.exhibit import Look, slider
from core.nn.attention import masked_softmax
from core.rooms.masks.inputs import Head

NUMBERS = ("−1e9", "the lowest finite number", "−∞")
TITLES = {"the lowest finite number": "the lowest number", "masked_softmax": "**this app**"}


class Inputs(Head, prefix="mask_"):
    """One row of the head."""

    row: int = slider("Row to look at", 0, lambda i: i.given.n_token - 1, lambda i: i.given.n_token // 2, look=Look())


@dataclass(frozen=True)
class Lowest:
    """One number written for minus infinity, in one kind of floating-point number."""

    number: str  # what the code says, one of `NUMBERS`, or "masked_softmax" for this app's own
    kind: str  # "float32", "bfloat16" or "float16"
    stored: float  # what the machine keeps of it; nan where nothing is written
    leak: float  # weight left on blocked keys
    empty_row: NDArray[np.float32]  # (S,) weights of a row that may attend nothing

    @property
    def came(self) -> Literal["nan", "zeros", "even", "other"]:
        """What the empty row is: "nan", "zeros", "even" or "other"."""
        row = self.empty_row
        if np.isnan(row).any():
            return "nan"
        return "zeros" if not row.any() else "even" if np.allclose(row, row[0], rtol=0.02) else "other"

    @property
    def outcome(self) -> str:
        """The same in words, and what the machine made of the number where it could not keep it."""
        row = self.empty_row
        words = {"nan": "**nan**", "zeros": "all 0", "even": f"all {row[0]:.3f}"}.get(
            self.came, f"{row.min():.3f} to {row.max():.3f}"
        )
        return f"is −∞: {words}" if self.number == "−1e9" and np.isinf(self.stored) else words


@dataclass(frozen=True)
class LowestNumbers:
    """All of them."""

    found: tuple[Lowest, ...]

    @cached_property
    def worst(self) -> float:
        """The largest leak."""
        return max(one.leak for one in self.found)

    @property
    def names(self) -> list[str]:
        """How the numbers are called, in their order."""
        return [TITLES.get(number, number) for number in dict.fromkeys(one.number for one in self.found)]

    def one(self, number: str, kind: str) -> Lowest:
        """A number in a kind, for lessons. Raises StopIteration if it is not among them."""
        return next(one for one in self.found if (one.number, one.kind) == (number, kind))

    def outcomes(self, name: str) -> list[str]:
        """What becomes of an empty row with the number of this name, in each kind."""
        return [one.outcome for one in self.found if TITLES.get(one.number, one.number) == name]

    @cached_property
    def lines(self) -> list[tuple[str, list[str]]]:
        """Each number and what becomes of an empty row with it, in each kind."""
        return [(name, self.outcomes(name)) for name in self.names]

    def table(self) -> dict[str, list[Any]]:
        """One line for each number in each kind."""
        return {
            "number": [one.number for one in self.found],
            "kind": [one.kind for one in self.found],
            "stored as": [one.stored for one in self.found],
            "weight on blocked keys": [one.leak for one in self.found],
            "empty row, first weight": [float(one.empty_row[0]) for one in self.found],
        }


def lowest_numbers(scores: NDArray[np.floating], mask: NDArray[np.bool_]) -> LowestNumbers:
    """Add each candidate for minus infinity to the blocked scores of one row, in three kinds of numbers.

    Args:
        scores: (S,) one row before the mask.
        mask: (S,) True where it may attend; at least one key.

    Raises:
        ValueError: if the row may attend nothing: there is then no leak to measure.
    """
    return of_each(scores[None], mask[None])[0]


def of_each(scores: NDArray[np.floating], mask: NDArray[np.bool_]) -> list[LowestNumbers]:
    """The same of N rows at once. Rows of which the same comes share it.

    Args:
        scores, mask: (N, S).

    Raises:
        ValueError: as `lowest_numbers`.
    """
    if not mask.any(-1).all():
        raise ValueError("the row may attend nothing")
    found = []
    m, nothing = torch.from_numpy(mask.copy()), torch.zeros(mask.shape, dtype=torch.bool)
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        s = torch.from_numpy(scores.astype(np.float32)).to(kind)
        name = str(kind).removeprefix("torch.")
        for number, value in zip(NUMBERS, (-1e9, torch.finfo(kind).min, -torch.inf), strict=True):
            stored = torch.tensor(value).to(kind)  # −1e9 is out of float16's range: it becomes −∞
            zero = torch.zeros((), dtype=kind)
            weights, empty = ((s + torch.where(open_, zero, stored)).softmax(-1) for open_ in (m, nothing))
            found.append((number, name, float(stored), _leak(weights, m), empty.float().numpy()))
        ours, none = masked_softmax(s, m), masked_softmax(s, nothing)
        found.append(("masked_softmax", name, float("nan"), _leak(ours, m), none.float().numpy()))
    made: dict[bytes, LowestNumbers] = {}
    keys = [b"".join(leak[n].tobytes() + empty[n].tobytes() for *_, leak, empty in found) for n in range(len(scores))]
    for n, key in enumerate(keys):
        if key not in made:
            row = [
                Lowest(number, kind, stored, float(leak[n]), empty[n]) for number, kind, stored, leak, empty in found
            ]
            made[key] = LowestNumbers(tuple(row))
    return [made[key] for key in keys]


def _leak(weights: Tensor, mask: Tensor) -> NDArray[np.float32]:
    return np.asarray(weights.float().masked_fill(mask, 0).sum(-1).numpy())


ROW = "mask_row"
CODE = (lowest_numbers, of_each, masked_softmax)


def compute(inputs: Inputs) -> LowestNumbers:
    """Every candidate for minus infinity, written into the blocked scores of one row."""
    record = inputs.given.attention
    may_read = record.mask_of(inputs.layer)[inputs.row]
    return lowest_numbers(record.scores[inputs.layer, inputs.head, inputs.row], may_read)


def draw(result: LowestNumbers, inputs: Inputs) -> None:
    """A table: number, kind of floating-point number, leak, empty row."""
    record = inputs.given.attention
    scores, n_row = record.scores, record.scores.shape[-1]
    found = of_each(scores.reshape(-1, n_row), np.repeat(record.masks, record.n_head, axis=0).reshape(-1, n_row))
    rows = iter(found)
    every = ui.along([[[next(rows) for _ in range(n_row)] for _ in layer] for layer in scores], *ui.HEAD, ROW)
    # Of most rows the same comes: one mapping for all of these, and its sentence is written once.
    of_row: dict[tuple[int, int], dict[str, Any]] = {}
    tables: dict[int, dict[str, Any]] = {}

    def told(one: LowestNumbers, row: int) -> dict[str, Any]:
        return of_row.setdefault((id(one), row), {"row": row, "n": len(one.found), "worst": one.worst})

    ui.say_each("row", ui.over(told, every, ui.along([*range(n_row)], ROW)))
    ui.say_each("table", ui.over(lambda one: tables.setdefault(id(one), {"lines": one.lines}), every))
    ui.say("kinds")
    ui.say("torch")
