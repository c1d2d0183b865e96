"""The widget of a matrix's weights before and after they are rounded; see `assets/widgets/fewer_bits/levels.js`."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.browser.linked import over
from core.browser.message import pack
from core.ui.widgets.mount import mount

N_BIN = 121  # odd, so that 0 stands in the middle of one


@dataclass(frozen=True)
class Before:
    """How many weights fall where.

    Attributes:
        limit: the bins run from minus this to this.
        before, after: counts of N_BIN bins.
        zeros: share of the weights that are 0 after.
    """

    limit: float
    before: tuple[int, ...]
    after: tuple[int, ...]
    zeros: float


def count(before: Tensor, after: Tensor) -> Before:
    """The weights of a matrix before and after, in the same bins."""
    limit = float(before.abs().amax()) * (1 + 1 / N_BIN) or 1.0
    found = [tuple(map(int, torch.histc(one, N_BIN, -limit, limit).tolist())) for one in (before, after)]
    return Before(limit, found[0], found[1], float((after == 0).float().mean()))


def levels(found: Any, *, names: tuple[str, str], key: str, label: Any) -> None:
    """Draw both histograms, one above the other.

    Args:
        found: a `Before`; it may depend on choices of the page, and so may the label.
        names: of the two.
        label: which weights they are.
    """
    told = over(lambda one: {"limit": one.limit, "before": one.before, "after": one.after, "zeros": one.zeros}, found)
    takeaway = over(lambda one, name: f"{name}: {one.zeros:.0%} of the rounded weights are 0.", found, label)
    header = {"widget": "levels", "bars": told, "names": names, "label": label, "takeaway": takeaway}
    mount("levels", key, pack(header, {}))
