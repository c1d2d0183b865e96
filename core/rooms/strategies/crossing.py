"""Three rules that are all called top-p: they differ in the token that crosses the threshold."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, slider
from core.generate import filters

LABELS = module_labels(__name__)

FIVE_PROBABILITIES = (0.5, 0.25, 0.125, 0.0625, 0.0625)
LETTERS = "ABCDE"


class Inputs(Base, prefix="five_"):
    p: float = slider(0.01, 1.0, 0.75, step=0.01, view=ViewChoice())


class CrossingRules(Result):
    """The tokens that three rules keep; tokens are sorted by probability, the most probable one first."""

    probabilities: Float[NDArray[np.float64], " V"]
    cumulative: Float[NDArray[np.float64], " V"]  # including the token's own
    right: Bool[NDArray[np.bool_], " V"]  # the definition: less than p before the token: the one that crosses stays
    too_few: Bool[NDArray[np.bool_], " V"]  # cumulative sum below p: the token that crosses is lost
    too_many: Bool[NDArray[np.bool_], " V"]  # p or less before the token: one more if a sum equals p
    lines: list[tuple[str, float, float, list[bool]]]  # letter, probability, cumulative sum, and the rules that keep it
    n_kept: list[int]  # tokens that each rule keeps
    masses: list[float]  # probability that each rule keeps

    def table(self) -> Table:
        return {
            LABELS["table.token"]: list(LETTERS),
            LABELS["table.probability"]: self.probabilities,
            LABELS["table.sum"]: self.cumulative,
            LABELS["table.definition"]: self.right,
            LABELS["table.too_few"]: self.too_few,
            LABELS["table.too_many"]: self.too_many,
        }


def compare_top_p_rules(probabilities: Sequence[float], p: float) -> CrossingRules:
    """Apply three rules to one distribution; the right one is `core.generate.filters.top_p`.

    Args:
        probabilities: (V,) in descending order, sum to 1.
        p: 0 to 1.

    Source: Holtzman et al. 2019 (1904.09751), section 3.1: the smallest set whose mass is at least p.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    cumulative = given.cumsum()
    right = (filters.top_p(torch.as_tensor(given).log(), p) > -torch.inf).numpy()
    rules = right, cumulative < p, cumulative - given <= p
    kept = np.stack(rules, -1).tolist()
    return CrossingRules(
        probabilities=given,
        cumulative=cumulative,
        right=rules[0],
        too_few=rules[1],
        too_many=rules[2],
        lines=list(zip(LETTERS, given.tolist(), cumulative.tolist(), kept, strict=True)),
        n_kept=[int(rule.sum()) for rule in rules],
        masses=[float(given[rule].sum()) for rule in rules],
    )


CODE = (filters.top_p, compare_top_p_rules)


def compute(inputs: Inputs) -> CrossingRules:
    """Apply each of three rules to five tokens in descending order."""
    return compare_top_p_rules(FIVE_PROBABILITIES, inputs.p)


def draw(result: CrossingRules, inputs: Inputs) -> None:
    """Draw five tokens with round probabilities under three rules."""
    ui.add_template_values(
        ui.for_each_option(lambda p: {**vars(compare_top_p_rules(FIVE_PROBABILITIES, p)), "p": p}, inputs.p)
    )
