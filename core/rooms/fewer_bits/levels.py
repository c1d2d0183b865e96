"""Histograms of a matrix before and after it is rounded; see `assets/widgets/fewer_bits/levels.js`."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from core import ui

N_BIN = 121  # odd, so that 0 stands in the middle of one


class Levels(NamedTuple):
    """Counts of weights by size.

    Attributes:
        limit: the bins run from minus this to this.
        before, after: counts of N_BIN bins.
        zeros: share of the weights that are 0 after.
    """

    limit: float
    before: tuple[int, ...]
    after: tuple[int, ...]
    zeros: float


def count(before: Tensor, after: Tensor) -> Levels:
    """Count the weights of a matrix before and after, in the same bins."""
    limit = float(before.abs().amax()) * (1 + 1 / N_BIN) or 1.0
    found = [tuple(map(int, torch.histc(one, N_BIN, -limit, limit).tolist())) for one in (before, after)]
    return Levels(limit, found[0], found[1], float((after == 0).float().mean()))


def draw_levels(levels: Any, *, names: tuple[str, str], key: str, label: Any) -> None:
    """Draw both histograms, one above the other.

    Args:
        levels: a `Levels`; it may depend on choices of the page, and so may the label.
        names: of the two.
        label: of the weights.
    """
    takeaway = ui.over(lambda one, name: f"{name}: {one.zeros:.0%} of the rounded weights are 0.", levels, label)
    bars = ui.over(Levels._asdict, levels)
    ui.widget("levels", bars=bars, names=names, label=label, takeaway=takeaway, key=key)
