"""RoPE's clocks within the trained length and beyond it: how far each turns, and what each method does to it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Curve
from core.charts.lines import lines
from core.exhibit import Inputs as Base
from core.exhibit import segmented
from core.nn.positions import Rotary
from core.rooms.long_texts.compute import ways
from core.rooms.long_texts.compute.ways import CLOCKS, WAYS, clocks

FACTORS = {2: "2 times", 4: "4 times", 8: "8 times", 32: "32 times"}
OURS, LLAMA = "ours", "llama2"
MODELS = {OURS: "this room's", LLAMA: "Llama 2 7B"}
# d_head and trained length; Touvron et al. 2023 (2307.09288), table 1 and appendix A.2.1. Both have base 10,000.
SHAPES = {OURS: (32, 64), LLAMA: (128, 4096)}
CODE = (ways.clocks, Rotary.speeds)


class Inputs(Base, prefix="turn_"):
    """How much longer, and which model."""

    factor: int = segmented("Read texts longer by", FACTORS, 8)
    model: str = segmented("Model", MODELS, OURS)


@dataclass(frozen=True)
class Result:
    """Each pair's speed.

    Attributes:
        speeds: way -> (pairs,) radians from one position to the next.
        trained: tokens of a text of the training.
        factor: a text is now so many times as long.
    """

    speeds: dict[str, NDArray[np.float64]]
    trained: int
    factor: int

    @property
    def turns(self) -> NDArray[np.float64]:
        """How often each pair goes round within a text of the training."""
        return self.speeds["plain"] * self.trained / (2 * math.pi)

    @property
    def n_round(self) -> int:
        """Pairs that go all the way round within a text of the training: they have been at every angle."""
        return int((self.turns >= 1).sum())

    @property
    def n_pair(self) -> int:
        return len(self.turns)

    @property
    def reach(self) -> dict[str, NDArray[np.float64]]:
        """Way -> (pairs,) how far each pair turns in the long text, in units of how far it turned in the training."""
        return {way: self.factor * speed / self.speeds["plain"] for way, speed in self.speeds.items()}

    @property
    def slowest(self) -> float:
        """Degrees that the slowest pair turns within a text of the training."""
        return float(np.degrees(self.speeds["plain"][-1] * self.trained))

    def table(self) -> dict[str, Any]:
        """One line for each pair."""
        found = {f"{WAYS[way]}: times as far": one.round(4) for way, one in self.reach.items()}
        lengths = (2 * math.pi / self.speeds["plain"]).round(2)
        return {
            "pair": range(self.n_pair),
            "tokens for one turn": lengths,
            "turns in training": self.turns.round(4),
            **found,
        }


def compute(inputs: Inputs) -> Result:
    """The speeds of all pairs, by the very functions that the model is read with."""
    d_head, trained = SHAPES[inputs.model]
    speeds = {
        way: clocks(way, float(inputs.factor), trained, d_head).speeds(d_head, dtype=torch.float64).numpy()
        for way in CLOCKS
    }
    return Result(speeds, trained, inputs.factor)


def draw(result: Result, inputs: Inputs) -> None:
    """How far each pair turns, compared with the training."""
    pairs = list(range(result.n_pair))
    curves = [Curve(WAYS[way], pairs, one.tolist()) for way, one in result.reach.items()]
    ui.chart(
        lines(
            curves,
            x_title="clock (pair of numbers), from fast to slow",
            y_title="times as far as in training",
            mode=ui.color_mode(),
            height=320,
            y_range=(0, result.factor * 1.05),
            marked=result.n_round - 0.5,
        ),
        alt=ui.words("alt"),
        key="turn-reach",
    )
    ui.say("round")
    ui.say("ways")
    if ui.at_least("numbers"):
        ui.say("formulas")
    ui.say("sources")
