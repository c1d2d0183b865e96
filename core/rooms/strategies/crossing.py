"""Three rules that are all called top-p: what becomes of the token that crosses."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from core import ui
from core.exhibit import Column, Inputs as Base, Look, Result, Table, slider
from core.generate import filters

FIVE = (0.5, 0.25, 0.125, 0.0625, 0.0625)
LETTERS = "ABCDE"


class Inputs(Base, prefix="five_"):
    p: float = slider("Top-p: the sum p to reach", 0.01, 1.0, 0.75, step=0.01, look=Look())


class Crossing(Result):
    """Tokens that three rules keep; the tokens by probability, the most probable one first."""

    probabilities: Float[NDArray[np.float64], " V"]
    cumulative: Float[NDArray[np.float64], " V"]  # with the token's own
    right: Bool[NDArray[np.bool_], " V"]  # the definition: all whose forerunners have less than p: what crosses p stays
    too_few: Bool[NDArray[np.bool_], " V"]  # those whose own sum is still below p: the token that crosses is lost
    too_many: Bool[NDArray[np.bool_], " V"]  # those whose forerunners have p or less: one more where the sum is p
    lines: list[tuple[str, float, float, list[bool]]]  # letter, probability, sum, and which rules keep it
    n_kept: list[int]  # tokens that each rule keeps
    masses: list[float]  # sum that each rule keeps

    def table(self) -> Table:
        shares: dict[str, Column] = {"token": list(LETTERS), "probability": self.probabilities, "sum": self.cumulative}
        rules = self.right, self.too_few, self.too_many
        return shares | dict(zip(("definition", "drops the one that crosses", "one too many"), rules, strict=True))


def crossing(probabilities: Sequence[float], p: float) -> Crossing:
    """Three rules on one distribution; the right one is that of `core.generate.filters.top_p`.

    Args:
        probabilities: (V,) likeliest first, sum to 1.
        p: 0 to 1.

    Source: Holtzman et al. 2019 (1904.09751), section 3.1: the smallest set whose mass is at least p.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    cumulative = given.cumsum()
    right = (filters.top_p(torch.as_tensor(given).log(), p) > -torch.inf).numpy()
    rules = right, cumulative < p, cumulative - given <= p
    kept = np.stack(rules, -1).tolist()
    return Crossing(
        probabilities=given,
        cumulative=cumulative,
        right=rules[0],
        too_few=rules[1],
        too_many=rules[2],
        lines=list(zip(LETTERS, given.tolist(), cumulative.tolist(), kept, strict=True)),
        n_kept=[int(rule.sum()) for rule in rules],
        masses=[float(given[rule].sum()) for rule in rules],
    )


CODE = (filters.top_p, crossing)


def compute(inputs: Inputs) -> Crossing:
    """What each of three rules keeps of five tokens, the likeliest first."""
    return crossing(FIVE, inputs.p)


def draw(result: Crossing, inputs: Inputs) -> None:
    """Five tokens of round probabilities under three rules."""
    ui.facts(ui.each(lambda p: {**vars(crossing(FIVE, p)), "p": p}, inputs.p))
