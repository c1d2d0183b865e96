"""Three rules that are all called top-p: what becomes of the token that crosses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, slider
from core.generate import filters

FIVE = (0.5, 0.25, 0.125, 0.0625, 0.0625)
LETTERS = "ABCDE"
P = "five_p"


class Inputs(Base, prefix="five_"):
    """The sum to reach."""

    p: float = slider("Top-p: the sum p to reach", 0.01, 1.0, 0.75, step=0.01, look=Look())


@dataclass(frozen=True)
class Crossing:
    """What three rules keep; the tokens likeliest first.

    Attributes:
        probabilities: (V,).
        cumulative: (V,) with the token's own.
        right: (V,) the definition: all whose forerunners have less than p, so the one that crosses p stays.
        too_few: (V,) those whose own sum is still below p: the token that crosses is lost.
        too_many: (V,) those whose forerunners have p or less: one token more where the sum is p exactly.
    """

    probabilities: Float[NDArray[np.float64], " V"]
    cumulative: Float[NDArray[np.float64], " V"]
    right: Bool[NDArray[np.bool_], " V"]
    too_few: Bool[NDArray[np.bool_], " V"]
    too_many: Bool[NDArray[np.bool_], " V"]

    @property
    def rules(self) -> tuple[Bool[NDArray[np.bool_], " V"], ...]:
        """What each of the three keeps."""
        return self.right, self.too_few, self.too_many

    @property
    def lines(self) -> list[tuple[str, float, float, list[bool]]]:
        """One for each token: its letter, its probability, the sum, and which rules keep it."""
        kept = np.stack(self.rules, -1).tolist()
        return list(zip(LETTERS, self.probabilities.tolist(), self.cumulative.tolist(), kept, strict=True))

    @property
    def n_kept(self) -> list[int]:
        """How many tokens each rule keeps."""
        return [int(kept.sum()) for kept in self.rules]

    @property
    def masses(self) -> list[float]:
        """The sum that each rule keeps."""
        return [float(self.probabilities[kept].sum()) for kept in self.rules]

    def table(self) -> dict[str, Any]:
        """One line for each token."""
        names = ("definition", "drops the one that crosses", "one too many")
        shares = {"token": list(LETTERS), "probability": self.probabilities, "sum": self.cumulative}
        return shares | dict(zip(names, self.rules, strict=True))


def crossing(probabilities: Sequence[float], p: float) -> Crossing:
    """Three rules on one distribution; the right one is that of `core.generate.filters.top_p`.

    Args:
        probabilities: (V,) likeliest first, sum to 1.
        p: 0 to 1.

    Source: Holtzman et al. 2019 (1904.09751), section 3.1: the smallest set whose mass is at least p.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    cumulative = given.cumsum()
    right = filters.top_p(torch.as_tensor(given).log(), p) > -torch.inf
    return Crossing(given, cumulative, right.numpy(), cumulative < p, cumulative - given <= p)


CODE = (filters.top_p, crossing)


def compute(inputs: Inputs) -> Crossing:
    """What each of three rules keeps of five tokens, the likeliest first."""
    return crossing(FIVE, inputs.p)


def draw(result: Crossing, inputs: Inputs) -> None:
    """Five tokens of round probabilities under three rules."""
    shares = ui.values_of(P)
    ui.say_each("rules", [_said(crossing(FIVE, p)) for p in shares], P)
    ui.say("names", p=ui.along(shares, P))


def _said(found: Crossing) -> dict[str, Any]:
    return {"lines": found.lines, "n_kept": found.n_kept, "masses": found.masses}
