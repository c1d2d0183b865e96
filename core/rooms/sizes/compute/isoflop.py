"""The best size for a budget: models of many sizes, all trained with the same number of multiply-adds.

Source: Hoffmann et al. 2022 (2203.15556), section 3.2, "IsoFLOP profiles".
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

from core.inspect.costs import model_cost
from core.rooms.sizes.compute.power_law import Law, fit
from core.rooms.sizes.experiments import scaling
from core.train.recipes import Recipe

CORPUS = "python-topics"
# Multiply-adds of a training -> widths on both sides of the best.
BUDGETS: Mapping[float, tuple[int, ...]] = MappingProxyType(
    {
        4e9: (8, 12, 16, 24, 32, 48),
        8e9: (8, 12, 16, 24, 32, 48, 64),
        16e9: (8, 12, 16, 24, 32, 48, 64, 96),
        32e9: (12, 16, 24, 32, 48, 64, 96),
    }
)
NEXT = 320e9
NEXT_WIDTHS = (32, 48, 64, 96, 128)
LEAST = 4  # runs of a budget, before a parabola is laid through them


@dataclass(frozen=True)
class Run:
    """One training: its budget in multiply-adds, its width, its steps."""

    budget: float
    width: int
    n_step: int

    def recipe(self) -> dict[str, Any]:
        """As the store of runs takes it."""
        made: Recipe = replace(scaling.recipe(self.width), corpus=CORPUS, n_step=self.n_step)
        return asdict(replace(made, title=f"width {self.width}, {self.budget / 1e9:.0f}G multiply-adds"))


def n_training_step(width: int, budget: float, vocab_size: int) -> int:
    """As many steps as the budget pays for, a step's backward pass counted as twice its forward pass."""
    per_step = scaling.BATCH * model_cost.training(scaling.config(width, vocab_size), scaling.CONTEXT).total
    return max(1, round(budget / per_step))


def plan(vocab_size: int) -> list[Run]:
    """All runs, small budgets first; those of the next budget last."""
    found = [(budget, width) for budget, widths in BUDGETS.items() for width in widths]
    found += [(NEXT, width) for width in NEXT_WIDTHS]
    return [Run(budget, width, n_training_step(width, budget, vocab_size)) for budget, width in found]


@dataclass(frozen=True)
class Best:
    """The lowest point of a budget's parabola: parameters, loss."""

    budget: float
    size: float
    loss: float


def profile(sizes: Sequence[float], losses: Sequence[float]) -> Law | None:
    """A parabola through the runs of one budget on logarithmic axes, near their lowest: where a size is many times the
    best one, the curve is none. None with too few runs, or where it has no lowest point among them.
    """
    pairs = sorted(zip(sizes, losses, strict=True))
    lowest = min(range(len(pairs)), key=lambda i: pairs[i][1], default=0)
    near = pairs[max(0, lowest - 2) : lowest + 3]
    if len(near) < LEAST:
        return None
    law = fit([size for size, _ in near], [loss for _, loss in near], 2)
    return law if law.lowest is not None and pairs[0][0] <= law.lowest <= pairs[-1][0] else None


def rough(size: float) -> str:
    """Two digits of a size: what is read off a curve through five dots is no more certain."""
    return f"{float(f'{size:.2g}'):,.0f}"
